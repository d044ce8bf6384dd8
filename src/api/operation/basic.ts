/** User name and password of a Basic header. */
export type Basic = { username: string; password: string }

/** Reads a Basic header; undefined when there is none, null when it is malformed. */
export function parseBasic(authorization: string | undefined): Basic | null | undefined {
  if (authorization === undefined || authorization === '') return undefined
  const encoded = /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(authorization)?.[1]
  if (!encoded) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
