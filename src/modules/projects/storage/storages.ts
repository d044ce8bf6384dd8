/**
 * The storage for a new repository, chosen by the weights of the instance (contract 10, x.storage_settings).
 * @param weights how often each storage is chosen; when all are 0, each is as good
 * @param random from 0 up to, not including, 1
 */
export function chooseStorage(weights: Readonly<Record<string, number>>, random: number): string {
  const entries = Object.entries(weights)
  const sum = entries.reduce((total, [, weight]) => total + weight, 0)
  let left = random * (sum || entries.length)
  for (const [storage, weight] of entries) {
    left -= sum === 0 ? 1 : weight
    if (left < 0) return storage
  }
  return entries[0]?.[0] ?? 'default'
}
