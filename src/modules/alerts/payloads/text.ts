/** Whether a value says nothing: no text, and nothing else in any of its members. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (typeof value === 'string') return value.trim() === ''
  return typeof value === 'object' && Object.values(value).every(isBlank)
}

/** A value as text: objects and arrays as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Text that both databases can store, cut to a number of characters of which the last three are then `...`. */
export function cutText(text: string, maximum: number): string {
  const stored = text.toWellFormed().replaceAll('\u0000', '')
  if (stored.length <= maximum) return stored
  const characters = [...stored]
  return characters.length <= maximum ? stored : `${characters.slice(0, maximum - 3).join('')}...`
}

/** Lengths of the fields of an alert, in characters (contract 07, Alert). */
export const lengths = {
  title: 200,
  description: 1000,
  service: 100,
  monitoringTool: 100,
  hosts: 255,
  environmentName: 255,
  runbook: 1024,
  fullQuery: 4096,
  yLabel: 255,
} as const

/** The title of an alert whose payload has none. */
export const untitled = 'New: Alert'

/** The text of a field of an alert; null when the value is blank. */
export function textOf(value: unknown, field: keyof typeof lengths): string | null {
  return isBlank(value) ? null : cutText(asText(value), lengths[field])
}

/** A host, or any nesting of hosts, as a list whose texts have at most 255 characters together. */
export function hostsOf(value: unknown): string[] {
  let room: number = lengths.hosts
  const hosts: string[] = []
  for (const one of [value].flat(Number.POSITIVE_INFINITY)) {
    if (room === 0) break
    if (isBlank(one)) continue
    const host = [...cutText(asText(one), lengths.hosts)].slice(0, room)
    hosts.push(host.join(''))
    room -= host.length
  }
  return hosts
}
