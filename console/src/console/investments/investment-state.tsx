import { Badge } from '@mantine/core';
import { inLanguage } from '../../ui/language.ts';
import { STATUS, STATUS_COLOURS } from './texts.ts';

const T = inLanguage({ paused: ['Strategy suspended', 'Strategie ausgesetzt'] });

interface InvestmentStateProps {
  status: keyof typeof STATUS_COLOURS;
  paused: boolean;
}

export function InvestmentState({ status, paused }: InvestmentStateProps) {
  return (
    <span className="button-row">
      <Badge variant="light" color={STATUS_COLOURS[status]}>
        {STATUS[status]}
      </Badge>
      {paused && (
        <Badge variant="light" color="yellow">
          {T.paused}
        </Badge>
      )}
    </span>
  );
}
