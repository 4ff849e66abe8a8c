import { create } from 'qrcode';

const QUIET_MODULES = 4;

/** A QR code as vector graphics, black on white in every colour scheme. */
export default function QrCode({ text, label }: { text: string; label: string }) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const size = modules.size + 2 * QUIET_MODULES;
  const path = Array.from(modules.data)
    .map((isDark, index) =>
      isDark
        ? `M${(index % modules.size) + QUIET_MODULES} ${Math.floor(index / modules.size) + QUIET_MODULES}h1v1h-1z`
        : '',
    )
    .join('');
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width="180"
      height="180"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
