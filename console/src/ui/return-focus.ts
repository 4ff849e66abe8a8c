/** The focus falls to the body when the row that had it is gone: the next Tab would begin at the top of the page. */
export function returnFocus(): void {
  setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus();
  });
}
