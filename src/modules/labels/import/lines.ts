import type { Tx } from '../../../infra/database/index.ts'
import {
  BadLine,
  type ImportedLine,
  type Importing,
  type ImportLine,
  integerOf,
  linesOf,
  requiredText,
  textOf,
  timesOf,
} from '../../../platform/index.ts'
import { defaultColor, parseColor } from '../colors/colors.ts'
import { parentColumns } from '../core/present.ts'
import { titleProblems } from '../core/validation.ts'
import type { NewLabelRow } from '../tables.ts'
import { insertMissing, setPriority, usableLabels } from '../usable/store.ts'

const longestDescription = 4096

/** A label to be stored, and its priority in the project. */
type Read = { row: NewLabelRow; priority: number | null; isOfGroup: boolean }

/** @throws BadLine */
function readLabel(into: Importing, line: ImportedLine): Read {
  const title = requiredText(line, 'title').trim()
  const [problem] = titleProblems(title)
  if (problem) throw new BadLine(`title ${problem}`)
  const color = parseColor(textOf(line, 'color', 64) ?? defaultColor)
  if (color === null) throw new BadLine('color must be a valid color code')
  const [first] = linesOf(line, 'priorities')
  const row = { ...parentColumns(into), title, color, description: textOf(line, 'description', longestDescription) }
  return {
    row: { ...row, ...timesOf(line) },
    priority: first ? integerOf(first, 'priority', { least: 0 }) : null,
    isOfGroup: line.type === 'GroupLabel',
  }
}

/** Stores labels where they are missing; one of a group that a project inherits stays where it is. */
async function store(tx: Tx, into: Importing, labels: readonly Read[]): Promise<Map<string, number>> {
  const titles = labels.map(({ row }) => row.title)
  const inherited = await usableLabels(tx, into, titles)
  const missing = labels.filter(({ row, isOfGroup }) => !(isOfGroup && inherited.has(row.title)))
  await insertMissing(
    tx,
    missing.map(({ row }) => row),
  )
  const found = await usableLabels(tx, into, titles)
  const ids = new Map([...found].map(([title, { id }]) => [title, id]))
  for (const { row, priority } of labels) {
    const id = ids.get(row.title)
    if (priority !== null && id !== undefined && into.kind === 'project') await setPriority(tx, into.id, id, priority)
  }
  return ids
}

/** Imports a label of a project or group (contract 14, labels). */
export const importLabel: ImportLine = async (_platform, into, line) => {
  const label = readLabel(into, line)
  return async (tx) => {
    await store(tx, into, [label])
  }
}

/**
 * Finds the labels that lines embed, and stores those that are missing.
 * @returns their ids, each once @throws BadLine
 */
export async function embeddedLabels(tx: Tx, into: Importing, lines: readonly ImportedLine[]): Promise<number[]> {
  if (lines.length === 0) return []
  const ids = await store(
    tx,
    into,
    lines.map((line) => readLabel(into, line)),
  )
  return [...new Set(ids.values())]
}

/** The same for one label. */
export async function embeddedLabel(tx: Tx, into: Importing, line: ImportedLine): Promise<number | null> {
  return (await embeddedLabels(tx, into, [line]))[0] ?? null
}
