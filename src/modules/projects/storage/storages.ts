/**
 * The storage for a new repository, chosen by the weights of the instance (contract 10, "Choosing the destination").
 * @param weights how often each storage is chosen; when all are 0, it is `default`
 * @param random from 0 up to, not including, 1
 */
export function chooseStorage(weights: Readonly<Record<string, number>>, random: number): string {
  const entries = Object.entries(weights).filter(([, weight]) => weight > 0)
  let left = random * entries.reduce((total, [, weight]) => total + weight, 0)
  for (const [storage, weight] of entries) {
    left -= weight
    if (left < 0) return storage
  }
  return entries.at(-1)?.[0] ?? 'default'
}
