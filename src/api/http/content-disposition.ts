/** Longest name that is sent, in characters: headers of both forms must fit into what clients take. */
const maximumLength = 255

/** What may stand between the quotes without being escaped, and is read alike everywhere. */
const unsafe = /[^\x20-\x7e]|["\\%]/gu

/** What RFC 5987 lets stand as it is, less than `encodeURIComponent` does. */
function extended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * The header that names a file to the browser (RFC 6266): whatever the name is, it stays one, and ends nothing. A name that a
 * quoted text cannot hold is told twice, first for clients that know no other form.
 * @param name last component of a path
 */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const kept = [...name.toWellFormed()].slice(0, maximumLength).join('')
  const plain = kept.replace(unsafe, '_')
  return plain === kept
    ? `${kind}; filename="${plain}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${extended(kept)}`
}
