/** A fenced block that suggests lines. */
export type Block = { above: number; below: number; content: string }

const opening = /^ {0,3}(`{3,}|~{3,})suggestion(?::-(\d{1,3})\+(\d{1,3}))?[ \t]*$/
const mostLines = 100
/** Further blocks of a note are left out. */
const mostBlocks = 50

/** The blocks ` ```suggestion:-M+N ` of a text. A block without an end reaches to the end of the text, as in Markdown. */
export function blocksIn(body: string): Block[] {
  const found: Block[] = []
  let fence: string | null = null
  let block: { above: number; below: number; lines: string[] } | null = null
  const end = () => {
    if (block)
      found.push({ above: block.above, below: block.below, content: block.lines.map((line) => `${line}\n`).join('') })
    block = null
    fence = null
  }
  for (const line of body.replace(/\r?\n$/, '').split(/\r?\n/)) {
    if (fence !== null) {
      const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
      if (closing?.startsWith(fence)) end()
      else block?.lines.push(line)
      continue
    }
    const any = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (any === undefined) continue
    const [, own, above = '0', below = '0'] = opening.exec(line) ?? []
    fence = any
    const isSound = own !== undefined && Number(above) <= mostLines && Number(below) <= mostLines
    block = isSound ? { above: Number(above), below: Number(below), lines: [] } : null
  }
  end()
  return found.slice(0, mostBlocks)
}
