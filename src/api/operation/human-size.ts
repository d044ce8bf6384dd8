const units = ['Bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size with three significant digits and without trailing zeros, such as `5 MiB` and `1.25 KiB`. */
export function humanSize(sizeBytes: number): string {
  let value = sizeBytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${value >= 1000 ? Math.round(value) : Number(value.toPrecision(3))} ${units[unit]}`
}
