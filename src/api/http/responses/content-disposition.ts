/** Longest file name in characters: both forms must fit into the header limits of clients. */
const maximumLength = 255

/** Characters that are unsafe in a quoted file name. */
const unsafe = /[^\x20-\x7e]|["\\%]/gu

/** Escapes a name by RFC 5987, which allows fewer characters than `encodeURIComponent`. */
function extended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * The header `Content-Disposition` with a file name (RFC 6266). A name that a quoted text cannot hold is sent in both
 * forms, the plain one first for clients that know no other.
 * @param name last component of a path
 * @param forms `both` for every name
 */
export function contentDisposition(
  kind: 'inline' | 'attachment',
  name: string,
  forms: 'needed' | 'both' = 'needed',
): string {
  const kept = [...name.toWellFormed()].slice(0, maximumLength).join('')
  const plain = kept.replace(unsafe, '_')
  return plain === kept && forms === 'needed'
    ? `${kind}; filename="${plain}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${extended(kept)}`
}
