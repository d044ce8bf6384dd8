/** Reads JSON while it arrives, with a memory that does not depend on its size. */
import { getManyValues, isMany, none } from 'stream-chain/defs.js'
import { jsonParser, type Token } from 'stream-json/core/parser.js'

export { isObject, type JsonObject } from './object.ts'

/** A text that is no JSON, or is nested deeper than the reader follows. */
export class MalformedJson extends Error {}

const largestDepth = 100
const longestKey = 1024

const opens = new Set(['startObject', 'startArray'])
const closes = new Set(['endObject', 'endArray'])
/** What ends a text whose pieces follow. */
const ends: Partial<Record<Token['name'], Token['name']>> = {
  startKey: 'endKey',
  startString: 'endString',
  startNumber: 'endNumber',
}

type Text = { value: string }

/** Joins the pieces of one text that arrived together: the parser cuts texts into short ones. */
function joined(tokens: Iterable<Token>): Token[] {
  const found: Token[] = []
  let open: (Token & Text) | undefined
  for (const token of tokens) {
    if (token.name === open?.name) {
      open.value += (token as Token & Text).value
      continue
    }
    open = token.name === 'stringChunk' || token.name === 'numberChunk' ? { ...token } : undefined
    found.push(open ?? token)
  }
  return found
}

async function* tokensOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Token[]> {
  const parse = jsonParser({ packValues: false, streamValues: true })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parsed = (read: () => string | typeof none) => {
    try {
      const found: unknown = parse(read() as string)
      return isMany(found) ? joined(getManyValues(found as never) as Token[]) : []
    } catch (error) {
      throw new MalformedJson('not JSON', { cause: error })
    }
  }
  for await (const bytes of content) yield parsed(() => decoder.decode(bytes, { stream: true }))
  yield parsed(() => decoder.decode())
  yield parsed(() => none)
}

/**
 * Reads one JSON text, value by value. Each method reads exactly one value; one of another type than asked for is skipped. All methods
 * throw MalformedJson, and what the content throws.
 */
export class JsonReader {
  readonly #source: AsyncGenerator<Token[]>
  #tokens: Token[] = []
  #at = 0
  #depth = 0

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#source = tokensOf(content)
  }

  async #peek(): Promise<Token> {
    for (;;) {
      const token = this.#tokens[this.#at]
      if (token) return token
      const { value, done } = await this.#source.next()
      if (done) throw new MalformedJson('ends too early')
      this.#tokens = value
      this.#at = 0
    }
  }

  async #next(): Promise<Token> {
    const token = await this.#peek()
    this.#at += 1
    if (opens.has(token.name)) this.#depth += 1
    else if (closes.has(token.name)) this.#depth -= 1
    if (this.#depth > largestDepth) throw new MalformedJson('nested too deep')
    return token
  }

  /** The text up to the token that ends it. @returns undefined for one that is longer, which is read to its end */
  async #textUntil(end: Token['name'], longest: number): Promise<string | undefined> {
    let text = ''
    let isTooLong = false
    for (let token = await this.#next(); token.name !== end; token = await this.#next()) {
      if (!isTooLong) text += (token as Token & Text).value
      if (text.length > longest) isTooLong = true
    }
    return isTooLong ? undefined : text
  }

  async #key(): Promise<string> {
    const key = await this.#textUntil('endKey', longestKey)
    if (key === undefined) throw new MalformedJson('a key is too long')
    return key
  }

  /** Skips a value. */
  async skip(): Promise<void> {
    const depth = this.#depth
    do {
      const { name } = await this.#next()
      const end = ends[name]
      while (end !== undefined && (await this.#next()).name !== end);
    } while (this.#depth > depth)
  }

  /**
   * Calls a function for each member of an object; it must read the value.
   * @returns whether the value is an object
   */
  async object(each: (key: string) => Promise<unknown>): Promise<boolean> {
    if ((await this.#peek()).name !== 'startObject') {
      await this.skip()
      return false
    }
    await this.#next()
    while ((await this.#next()).name !== 'endObject') await each(await this.#key())
    return true
  }

  /** A text. @returns undefined for another value, and for a text of more characters than `longest` */
  async text(longest: number): Promise<string | undefined> {
    if ((await this.#peek()).name !== 'startString') return void (await this.skip())
    await this.#next()
    return this.#textUntil('endString', longest)
  }

  /** The pieces of a text as they arrive; null for another value. They must be read to their end. */
  async pieces(): Promise<AsyncGenerator<string> | null> {
    if ((await this.#peek()).name !== 'startString') return skipped(this.skip())
    await this.#next()
    return this.#piecesUntilEnd()
  }

  async *#piecesUntilEnd(): AsyncGenerator<string> {
    for (let token = await this.#next(); token.name !== 'endString'; token = await this.#next()) {
      yield (token as Token & Text).value
    }
  }

  /**
   * Any value. @param budget the characters of keys, texts and numbers that it may have, and one for each value; it is taken from it
   * @returns undefined when the budget does not suffice; the value is skipped
   */
  async value(budget: { characters: number }): Promise<unknown> {
    const { name } = await this.#peek()
    budget.characters -= 1
    if (budget.characters < 0) return void (await this.skip())
    if (name === 'startObject') return this.#objectWithin(budget)
    if (name === 'startArray') return this.#arrayWithin(budget)
    const token = await this.#next()
    if (name === 'startString') return this.#scalarWithin(budget, 'endString')
    if (name === 'startNumber') {
      const text = await this.#scalarWithin(budget, 'endNumber')
      return text === undefined ? undefined : Number(text)
    }
    return (token as { value: unknown }).value
  }

  async #scalarWithin(budget: { characters: number }, end: Token['name']): Promise<string | undefined> {
    const text = await this.#textUntil(end, budget.characters)
    budget.characters -= text?.length ?? budget.characters + 1
    return text
  }

  async #objectWithin(budget: { characters: number }): Promise<unknown> {
    // Without a prototype: `__proto__` is a name as any other.
    const found: Record<string, unknown> = Object.create(null)
    await this.object(async (key) => {
      budget.characters -= key.length
      const value = await this.value(budget)
      if (value !== undefined) found[key] = value
    })
    return budget.characters < 0 ? undefined : found
  }

  async #arrayWithin(budget: { characters: number }): Promise<unknown> {
    const found: unknown[] = []
    await this.#next()
    while ((await this.#peek()).name !== 'endArray') {
      const value = await this.value(budget)
      if (value !== undefined) found.push(value)
    }
    await this.#next()
    return budget.characters < 0 ? undefined : found
  }

  /** Reads what follows the value, which may be white space only. */
  async end(): Promise<void> {
    while (!(await this.#source.next()).done);
  }
}

async function skipped(skipping: Promise<void>): Promise<null> {
  await skipping
  return null
}
