import type { Progress } from '../../backup/index.ts'

type Output = { isTTY?: boolean; write(text: string): unknown }

const barCharacters = 30
/** How often a bar is drawn, in parts of the whole. */
const drawings = 200

/** Shows progress: a bar on a terminal, a line for each step otherwise. */
export function showProgress(output: Output): Progress & { end(): void } {
  let name = ''
  let total: number | undefined
  let done = 0
  let drawn = -1

  function draw(): void {
    if (!output.isTTY) return
    const share = total === undefined ? 0 : Math.min(1, total === 0 ? 1 : done / total)
    const mark = Math.floor(share * drawings)
    if (mark === drawn) return
    drawn = mark
    const filled = Math.round(share * barCharacters)
    const bar = total === undefined ? '' : `[${'#'.repeat(filled)}${'.'.repeat(barCharacters - filled)}] `
    const percent = total === undefined ? '' : `${Math.floor(share * 100)} %`
    output.write(`\r\u001b[K${bar}${name} ${percent}`)
  }

  function end(): void {
    if (!output.isTTY || name === '') return
    if (total !== undefined) done = total
    draw()
    output.write('\n')
  }

  return {
    step(next, nextTotal) {
      end()
      name = next
      total = nextTotal
      done = 0
      drawn = -1
      if (output.isTTY) draw()
      else output.write(`${next}\n`)
    },
    advance(amount) {
      done += amount
      draw()
    },
    note(line) {
      output.write(output.isTTY ? `\r\u001b[K${line}\n` : `${line}\n`)
      drawn = -1
      draw()
    },
    end,
  }
}
