import { Title } from '@mantine/core';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import './dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A modal dialog. The browser keeps the focus inside, closes it with Escape, and returns the focus afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current as HTMLDialogElement;
    const opener = document.activeElement as HTMLElement | null;
    element.showModal();
    (element.querySelector('[data-autofocus]') as HTMLElement | null)?.focus();
    element.scrollTop = 0; // what the action does is read before its fields are filled in
    return () => {
      element.close();
      if (opener?.isConnected) opener.focus();
      else document.getElementById('main')?.focus(); // the row that had the focus is gone
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A browser can close the element without a `cancel` event. If its component stays mounted, the dialog is shown again.
      onClose={({ currentTarget: element }) => {
        if (element.open) return;
        onClose();
        setTimeout(() => element.isConnected && !element.open && element.showModal());
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="dialog-body">
        <Title order={2} size="h3" id={titleId} mb="sm">
          {title}
        </Title>
        {children}
      </div>
    </dialog>
  );
}
