import type { SAXOptions } from 'sax'
import { chunkPassed } from '../../infra/memory/index.ts'

export type CaseStatus = 'success' | 'failed' | 'error' | 'skipped'

/** A test case of a JUnit report. */
export type TestCase = {
  status: CaseStatus
  name: string
  classname: string | null
  file: string | null
  seconds: number
  /** What the failure, the error or the skipping says. */
  output: string | null
  /** Path of a file in the artifacts of the job. */
  attachment: string | null
}

/** A report that cannot be read, in the words of the suite that has it (contract 26 R4). */
export class JunitProblem extends Error {
  constructor(kind: 'XML' | 'data', reason: string) {
    super(`JUnit ${kind} parsing failed: ${reason}`)
  }
}

/** What a report may have. */
export const bounds = {
  bytes: 100 * 1024 * 1024,
  cases: 500_000,
  depth: 100,
  /** Characters of an output that are kept. */
  output: 512 * 1024,
}

/** The parser of XML, which few servers need all the time. Longer names, attributes and comments than a mebibyte are no report. */
async function loadParser() {
  const { default: sax } = await import('sax')
  // Its types do not have these.
  Object.assign(sax, { MAX_BUFFER_LENGTH: 1024 * 1024 })
  return sax.parser(true, { strictEntities: true } as SAXOptions)
}

/** Elements that say how a case ended, the one that counts first. */
const endings: readonly (readonly [element: string, status: CaseStatus])[] = [
  ['failure', 'failed'],
  ['error', 'error'],
  ['skipped', 'skipped'],
]

type Ending = { message: string; text: string }
type OpenCase = { attributes: Readonly<Record<string, string>>; endings: Map<string, Ending>; log: string }

/** An attribute; null where there is none. */
const attribute = ({ attributes }: Pick<OpenCase, 'attributes'>, name: string): string | null =>
  Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null

function secondsOf(text: string | null): number {
  const seconds = Number((text ?? '').replaceAll(',', '').trim() || Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : 0
}

const attachmentPattern = /\[\[ATTACHMENT\|([^\]\n]{1,1024})\]\]/

function closedCase(open: OpenCase): TestCase {
  const [element, status] = endings.find(([name]) => open.endings.has(name)) ?? ['', 'success' as const]
  const ending = open.endings.get(element)
  const output = ending && (ending.text.trim() === '' ? ending.message : ending.text)
  const attachment = status === 'failed' ? attachmentPattern.exec(open.log)?.[1]?.trim() : undefined
  return {
    status,
    name: attribute(open, 'name')?.trim() ? (attribute(open, 'name') ?? '') : '(No name)',
    classname: attribute(open, 'classname'),
    file: attribute(open, 'file'),
    seconds: secondsOf(attribute(open, 'time')),
    output: output ? output.slice(0, bounds.output) : null,
    attachment: attachment ?? null,
  }
}

/** A part of a case whose text is kept. */
type Kept = { depth: number; append(text: string): void }

/** Follows the elements of reports, and passes on each case. */
class Reports {
  readonly #each: (one: TestCase) => void
  #depth = 0
  #open: { depth: number; found: OpenCase } | undefined
  #kept: Kept | undefined
  #count = 0

  constructor(each: (one: TestCase) => void) {
    this.#each = each
  }

  /** @param tag the outermost one stands around the documents of the report */
  opened({ name, attributes }: { name: string; attributes: Readonly<Record<string, string>> }): void {
    this.#depth += 1
    if (this.#depth > bounds.depth + 1) throw new JunitProblem('data', `more than ${bounds.depth} levels`)
    if (this.#depth === 2 && name !== 'testsuites' && name !== 'testsuite') {
      throw new JunitProblem('data', `the root is ${name}`)
    }
    if (name === 'testcase' && !this.#open) {
      this.#open = { depth: this.#depth, found: { attributes, endings: new Map(), log: '' } }
    } else if (this.#open && this.#depth === this.#open.depth + 1) {
      this.#kept = this.#partOf(this.#open.found, name, attributes)
    }
  }

  #partOf(found: OpenCase, name: string, attributes: Readonly<Record<string, string>>): Kept | undefined {
    const depth = this.#depth
    if (name === 'system-out') {
      return {
        depth,
        append(text) {
          found.log = (found.log + text).slice(0, bounds.output)
        },
      }
    }
    if (!endings.some(([element]) => element === name) || found.endings.has(name)) return undefined
    const ending = { message: attribute({ attributes }, 'message') ?? '', text: '' }
    found.endings.set(name, ending)
    return {
      depth,
      append(text) {
        if (ending.text.length < bounds.output) ending.text += text
      },
    }
  }

  said(text: string): void {
    this.#kept?.append(text)
  }

  closed(): void {
    if (this.#kept?.depth === this.#depth) this.#kept = undefined
    if (this.#open?.depth === this.#depth) {
      this.#count += 1
      if (this.#count > bounds.cases) throw new JunitProblem('data', `more than ${bounds.cases} test cases`)
      this.#each(closedCase(this.#open.found))
      this.#open = undefined
    }
    this.#depth -= 1
  }
}

/** Stands around the documents of a report: runners put several files into one. */
const outermost = 'fennec-reports'

/**
 * Reads the cases of a JUnit report as they arrive (contract 26 R4). Entities besides those of XML, and declarations of types, are
 * refused; the memory does not depend on the size.
 * @throws JunitProblem; what the content throws
 */
export async function* readJunit(content: AsyncIterable<Uint8Array>): AsyncGenerator<readonly TestCase[]> {
  let found: TestCase[] = []
  const reports = new Reports((one) => found.push(one))
  const parser = await loadParser()
  const refuse = (reason: string) => {
    throw new JunitProblem('XML', reason)
  }
  parser.onerror = ({ message }) => refuse(message.split('\n')[0] ?? '')
  parser.ondoctype = () => refuse('declarations of types are not read')
  parser.onsgmldeclaration = () => refuse('declarations are not read')
  parser.onopentag = (tag) => reports.opened(tag as Parameters<Reports['opened']>[0])
  parser.ontext = (text) => reports.said(text)
  parser.oncdata = (text) => reports.said(text)
  parser.onclosetag = () => reports.closed()
  const decoder = new TextDecoder()
  parser.write(`<${outermost}>`)
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.length
    if (sizeBytes > bounds.bytes) throw new JunitProblem('data', `more than ${bounds.bytes} bytes`)
    parser.write(decoder.decode(chunk, { stream: true }))
    chunkPassed(chunk.length)
    yield found
    found = []
  }
  parser.write(`${decoder.decode()}</${outermost}>`).close()
  yield found
}
