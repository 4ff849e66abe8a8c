/** Moves the focus to the content if the row that had it is gone: otherwise the next Tab would begin at the top of the page. */
export function returnFocus(): void {
  setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus();
  });
}
