/**
 * Joins texts of metrics whose samples differ by a label: the samples of each metric stand together, below one header, as the
 * format wants it.
 */
export function joinExpositions(texts: readonly string[]): string {
  // Neither texts nor labels contain an empty line: their line breaks are escaped.
  const blocks = texts
    .flatMap((text) => text.trimEnd().split('\n\n'))
    .map((block) => {
      const [help = '', type = '', ...lines] = block.split('\n')
      return { header: `${help}\n${type}`, lines }
    })
  const metrics = Map.groupBy(blocks, ({ header }) => header)
  const textOf = (header: string, samples: typeof blocks) =>
    [header, ...samples.flatMap(({ lines }) => lines)].join('\n')
  return `${Array.from(metrics, ([header, samples]) => textOf(header, samples)).join('\n\n')}\n`
}
