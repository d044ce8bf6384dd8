const maximumBytes = 255

/** A name shortened for file systems, with its extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maximumBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && Buffer.byteLength(name.slice(dot)) < maximumBytes / 2 ? name.slice(dot) : ''
  let stem = ending === '' ? name : name.slice(0, dot)
  // Shortened by whole characters.
  stem = [...stem].slice(0, maximumBytes).join('')
  while (Buffer.byteLength(stem + ending) > maximumBytes) stem = [...stem].slice(0, -1).join('')
  return stem + ending
}

/**
 * The stored name of an uploaded file: letters, marks, digits and `_ . - +` of any script, at most 255 bytes, neither empty
 * nor of dots only (contract 08, "Filename sanitising").
 */
export function safeFileName(filename: string): string {
  const last = filename.toWellFormed().replaceAll('\ufffd', '').replaceAll('\\', '/').split('/').at(-1) ?? ''
  const plain = last.replace(/[^\p{L}\p{M}\p{Nd}\p{Pc}.+-]/gu, '_')
  const named = plain === '' ? 'unnamed' : /^\.+$/.test(plain) ? `_${plain}` : plain
  return shortened(named)
}
