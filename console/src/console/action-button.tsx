import { Button, Text, type ButtonProps } from '@mantine/core';
import { useId } from 'react';
import { inLanguage } from '../ui/language.ts';
import { usePermits, type Permission } from './session.ts';

const T = inLanguage({
  needs: [
    (permission: string) => `Your permissions do not include this action (${permission}).`,
    (permission: string) => `Ihre Rechte schließen diese Aktion nicht ein (${permission}).`,
  ],
  all: ['all permissions', 'alle Rechte'],
});

interface ActionButtonProps extends ButtonProps {
  needs: Permission;
  /** Why the action is not possible now. */
  blocked?: string | undefined;
  onClick: () => void;
}

/** The button of an action. It stays reachable while the action is not possible, and says why. */
export function ActionButton({ needs, blocked, onClick, ...button }: ActionButtonProps) {
  const reasonId = useId();
  const isPermitted = usePermits(needs);
  const reason = isPermitted ? blocked : T.needs(needs === '*' ? T.all : needs);
  return (
    <div>
      <Button
        {...button}
        {...(reason ? { variant: 'default', 'aria-disabled': true, 'aria-describedby': reasonId } : {})}
        onClick={() => !reason && onClick()}
      />
      {reason && (
        <Text size="sm" c="dimmed" mt={4} id={reasonId}>
          {reason}
        </Text>
      )}
    </div>
  );
}
