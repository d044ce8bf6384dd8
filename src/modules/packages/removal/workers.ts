/** Does something with each of some values, with so many of them at once. */
export async function eachOf<T>(
  values: readonly T[],
  atOnce: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const waiting = values.values()
  const worker = async () => {
    for (const value of waiting) await work(value)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, values.length) }, worker))
}
