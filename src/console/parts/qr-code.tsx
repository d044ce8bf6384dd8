import { encode } from 'uqr'
import type { Html } from '../html/index.ts'

/** A text as a QR code: one path over the dark squares, on white in every theme, since cameras read no light codes. */
export function QrCode({ text }: { text: string }): Html {
  const { data, size } = encode(text, { border: 2 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} width={220} height={220} role="img" aria-label="QR code">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}
