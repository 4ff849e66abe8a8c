/** Texts that act if a page takes them for markup, a script or a template. Each would set the global variable `hostile`. */
export const HOSTILE_TEXTS = [
  '<img src=x onerror="globalThis.hostile=1">',
  '<script>globalThis.hostile=1</script>',
  '"><svg onload=globalThis.hostile=1>',
  'javascript:globalThis.hostile=1',
  "'-globalThis.hostile=1-'",
  '{{constructor.constructor("globalThis.hostile=1")()}}',
  '<iframe srcdoc="<script>parent.hostile=1</script>"></iframe>',
];
