import { type RawBuilder, sql } from 'kysely'
import { escapeLike, type Filter, not, type Predicate } from '../../../../../infra/database/index.ts'
import type { IssuableContext } from '../../context.ts'
import { isLinked, linkedBy } from './linked.ts'

/** The words for "no label"; a client that encodes `+` twice sends the last one. */
const noLabel = ['none', 'no label', 'no+label']

const scopeEnd = '::*'

/** Labels of a title, or of all titles with a key: `key::*` (contract 16, Filters). */
function titled(title: string): RawBuilder<boolean> {
  if (!title.endsWith(scopeEnd) || title.length === scopeEnd.length) return sql<boolean>`named.title = ${title}`
  const start = title.slice(0, -1)
  // The key of a label is everything before its last `::`.
  return sql<boolean>`(named.title like ${`${escapeLike(start)}_%`} escape '\\'
    and named.title not like ${`${escapeLike(start)}%::_%`} escape '\\')`
}

const withTitle = (context: IssuableContext, title: string): Predicate =>
  linkedBy(
    context,
    'issuable_labels',
    sql<boolean>`linked.label_id in (select named.id from labels named where ${titled(title)})`,
  )

const isLabelled = (context: IssuableContext) => isLinked(context, 'issuable_labels')

/** `labels`: all of them must be present; `None` wins over the rest. */
export const labels: Filter<IssuableContext, readonly string[]> = (context, names) => {
  const words = names.map((name) => name.toLowerCase())
  if (words.some((word) => noLabel.includes(word))) return not(isLabelled(context))
  return names.map((name, index) => (words[index] === 'any' ? isLabelled(context) : withTitle(context, name)))
}

/** `not[labels]`: none may be present; `None` and `Any` are inverted. */
export const otherLabels: Filter<IssuableContext, readonly string[]> = (context, names) =>
  names.map((name) => {
    const word = name.toLowerCase()
    if (noLabel.includes(word)) return isLabelled(context)
    return not(word === 'any' ? isLabelled(context) : withTitle(context, name))
  })
