const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A size as people read it. */
export function size(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${step === 0 ? bytes : (bytes / 1024 ** step).toFixed(1)} ${units[step]}`
}
