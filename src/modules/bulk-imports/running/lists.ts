import type { Operation } from '../../../api/index.ts'
import { isObject } from '../../../infra/json/index.ts'
import { SourceRefused } from '../source/index.ts'
import type { Item } from '../source/values.ts'
import { EntityFailed, type Running } from './running.ts'

const pageSize = 100
/** A source decides how long a list is. */
const mostPages = 100

/**
 * Reads a list of the source page by page.
 * @param from the number of the first page, from 1
 * @throws SourceFailed, SourceRefused; EntityFailed for a list that has no end
 */
export async function* pagesOf(
  { source, signal }: Running,
  operation: Operation,
  call: Readonly<Record<string, string | number>>,
  from = 1,
): AsyncGenerator<{ number: number; items: readonly Item[] }> {
  for (let number = from; ; number += 1) {
    signal.throwIfAborted()
    const { status, body } = await source.ask(operation, { ...call, per_page: pageSize, page: number })
    if (status !== 200) throw new SourceRefused(status)
    if (!Array.isArray(body)) throw new EntityFailed('The source answers with what is not a list')
    if (body.length === 0) return
    if (number > mostPages || body.length > pageSize)
      throw new EntityFailed('The source answers with a list without end')
    yield { number, items: body.filter(isObject) }
    if (body.length < pageSize) return
  }
}
