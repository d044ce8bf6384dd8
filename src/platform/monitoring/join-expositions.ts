/**
 * Joins texts of metrics whose samples differ by a label: the samples of each metric stand together, below one header, as the
 * format wants it.
 */
export function joinExpositions(texts: readonly string[]): string {
  const samples = new Map<string, string[]>()
  // Neither texts nor labels contain an empty line: their line breaks are escaped.
  for (const block of texts.flatMap((text) => text.trimEnd().split('\n\n'))) {
    const [help = '', type = '', ...lines] = block.split('\n')
    const header = `${help}\n${type}`
    samples.set(header, [...(samples.get(header) ?? []), ...lines])
  }
  return `${Array.from(samples, ([header, lines]) => [header, ...lines].join('\n')).join('\n\n')}\n`
}
