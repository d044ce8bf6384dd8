import ts from 'typescript-6'
import { type Change, changesOf } from './changes.ts'

/** One change of one file. */
export type Mutant = {
  id: number
  /** From the root of the project. */
  file: string
  /** From 1. */
  line: number
  /** The line without indentation, by which accepted changes are found again. */
  code: string
  original: string
  changed: string
}

/** A file in which each change is made when its number is the active one. */
export type Instrumented = { text: string; mutants: Mutant[] }

const isSkipped = (node: ts.Node) =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node)

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

/**
 * Writes all changes of a file into it: `a < b` becomes `($m(7) ? (a <= b) : (a < b))`.
 * @param firstId the number of its first change
 */
export function instrument(file: string, source: string, firstId: number): Instrumented {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
  const mutants: Mutant[] = []

  function register({ node, text }: Change): number {
    const { line } = parsed.getLineAndCharacterOfPosition(node.getStart())
    const code = source.split('\n', line + 1)[line]?.trim() ?? ''
    const original = oneLine(node.getText())
    const id = firstId + mutants.length
    mutants.push({ id, file, line: line + 1, code, original, changed: oneLine(text) })
    return id
  }

  function print(node: ts.Node): string {
    if (isSkipped(node)) return node.getText()
    let text = ''
    let end = node.getStart()
    const children: ts.Node[] = []
    node.forEachChild((child) => void children.push(child))
    for (const child of children.toSorted((left, right) => left.pos - right.pos)) {
      text += source.slice(end, child.getStart()) + print(child)
      end = child.end
    }
    text += source.slice(end, node.end)
    const changes = ts.isExpression(node) ? changesOf(node) : []
    if (changes.length === 0) return text
    return `(${changes.map((change) => `$m(${register(change)}) ? (${change.text}) : `).join('')}(${text}))`
  }

  const text = source.slice(0, parsed.getStart()) + print(parsed)
  return { text, mutants }
}
