/** One line of the table. */
export type Result = {
  name: string
  /** What Fennec took or needed. */
  fennec: number
  unit: 'ms' | 'KiB' | 'MiB' | '/s' | 'CPUs'
  /** The same of the floor beside it. */
  floor?: number
  floorName?: string
  /** How much slower Fennec is than the floor: the median of the rounds' ratios, where they ran in pairs. */
  ratio?: number
  /** How far the rounds lie apart: half of them are within this many percent of each other. */
  spreadPercent?: number
  /** The design's budget, in words (design §10). */
  budget?: string
  met?: boolean
}

export function rounded(value: number | undefined): string {
  if (value === undefined) return ''
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** A ratio above 1 always means that Fennec is slower or needs more. */
export function ratioOf({ ratio, fennec, floor, unit }: Result): number | undefined {
  if (ratio !== undefined || floor === undefined) return ratio
  return unit === '/s' ? floor / fennec : fennec / floor
}

/** The results as text. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { fennec, floor, unit, spreadPercent } = result
    const ratio = ratioOf(result)
    return [
      result.name,
      `${rounded(fennec)} ${unit}`,
      floor === undefined ? '' : `${rounded(floor)} ${unit}`,
      result.floorName ?? '',
      ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
      spreadPercent === undefined ? '' : `${spreadPercent.toFixed(0)} %`,
      result.budget ?? '',
      result.met === undefined ? '' : result.met ? 'met' : 'MISSED',
    ]
  })
  const all = [['scenario', 'fennec', 'floor', 'floor is', 'ratio', 'spread', 'budget', ''], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
