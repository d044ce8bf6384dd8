import { readFile, statfs, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Result, ratioOf, rounded } from '../table.ts'
import { pictureOf } from './picture.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
/** The part of the document that a run replaces. */
const written = /(?<=<!-- comparison -->\n).*?(?=<!-- end of comparison -->)/s

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function rowOf(result: Result): string {
  const { name, fennec, floor, floorName = '', unit, budget = '', met } = result
  const ratio = ratioOf(result)
  const goal = met === undefined ? budget : `${budget}${met ? '' : ', missed'}`
  const rival = floor === undefined ? '' : `${rounded(floor)} ${unit}`
  return row([name, `${rounded(fennec)} ${unit}`, rival, floorName, ratio === undefined ? '' : ratio.toFixed(2), goal])
}

/** The type of a file system that is kept in memory. */
const tmpfs = 0x01021994

/** The conditions of a run. In memory syncs cost nothing, which favours the side that syncs more. */
async function conditions(): Promise<string> {
  const { type } = await statfs(tmpdir())
  const load = loadavg().map((value) => value.toFixed(1))
  return [
    `${cpus().length} processors (${cpus()[0]?.model}); load ${load.join(', ')} in the last 1, 5 and 15 minutes;`,
    `files ${type === tmpfs ? 'in memory' : 'on a disk'}.`,
  ].join(' ')
}

async function tableOf(results: readonly Result[]): Promise<string> {
  const head = [row(['workload', 'Fennec', 'rival', 'rival is', 'ratio', 'goal']), row(Array(6).fill('---'))]
  return ['', await conditions(), '', ...head, ...results.map(rowOf), '', ''].join('\n')
}

/**
 * Writes the table into `docs/performance.md`, and draws the ratios.
 * @param alone rows without a rival, which are not drawn
 */
export async function writeComparison(beside: readonly Result[], alone: readonly Result[]): Promise<void> {
  const path = pathOf('performance.md')
  const document = await readFile(path, 'utf8')
  if (!written.test(document)) throw new Error(`${path} has no place for the comparison`)
  const table = await tableOf([...beside, ...alone])
  await writeFile(
    path,
    document.replace(written, () => table),
  )
  await writeFile(pathOf('pictures/performance.svg'), pictureOf(beside))
}
