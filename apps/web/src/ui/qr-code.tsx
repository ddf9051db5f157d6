import { useMemo } from 'react';
import { encode } from 'uqr';

/** A text as a picture for a camera; always dark on light, as readers expect. */
export function QrCode({ label, text }: { label: string; text: string }) {
  const { path, size } = useMemo(() => {
    // Modules that are dark, one square each, in one path; the border of four is what readers need.
    const { data, size } = encode(text, { ecc: 'M', border: 4 });
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: squares.join(''), size };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 shrink-0 rounded-md"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
