import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { messageOf } from './failure.tsx';
import { inLanguage } from './language.ts';
import { saveFile } from './save-file.ts';

const T = inLanguage({ export: ['Export as CSV', 'Als CSV exportieren'] });

interface ExportButtonProps {
  file: string;
  read: () => Promise<BlobPart>;
  label?: string;
  type?: string;
}

/** Reads an export and saves it. A plain link would not send the token that a cookie session needs. */
export function ExportButton({ file, read, label = T.export, type = 'text/csv' }: ExportButtonProps) {
  const [isRunning, setRunning] = useState(false);
  const save = async () => {
    setRunning(true);
    try {
      saveFile(file, await read(), type);
    } catch (error) {
      notifications.show({ color: 'red', message: messageOf(error), autoClose: false });
    } finally {
      setRunning(false);
    }
  };
  return (
    <Button size="xs" variant="default" loading={isRunning} onClick={() => void save()}>
      {label}
    </Button>
  );
}
