import { isObject, type Json, type Schema } from '../forms/schema.ts'
import type { Html } from '../html/index.ts'
import { Dot, isStatus, Status, Time } from '../parts/parts.tsx'
import { isRole, wordOf, words } from '../parts/words.ts'
import type { Words } from './declared.ts'

/** What a member is called. */
export function labelOf(name: string, said: Words | undefined): string {
  return (typeof said === 'string' ? said : said?.label) ?? words(name)
}

/** The values of a member in words, where the family has some. */
export const valueWords = (said: Words | undefined) => (typeof said === 'object' ? said.values : undefined)

/** What an object is called. */
export function nameOfObject(object: Json): string {
  const {
    access_level_description: role,
    string_value: level,
    name,
    title,
    full_path: path,
    filename,
    key,
    message,
    id,
  } = object
  if (key !== undefined && object.value !== undefined) return `${key}: ${[object.value].flat().join(', ')}`
  return String(role ?? level ?? name ?? title ?? path ?? filename ?? key ?? message ?? id ?? '')
}

const inCode = /^(key|value|sha|url|ref|cron|regex|fingerprint\w*|token|path|domain|callback_url|\w+_regex)$/
const longestText = 160

type CellProps = {
  schema: Schema | undefined
  value: unknown
  name: string
  said?: Words | undefined
  isWhole?: boolean
}

function Text({ text, name, isWhole }: { text: string; name: string; isWhole: boolean | undefined }) {
  if (name === 'sha' && !isWhole) return <code>{text.slice(0, 8)}</code>
  const shown = isWhole || text.length <= longestText ? text : `${text.slice(0, longestText)}…`
  return inCode.test(name) ? <code class="value">{shown}</code> : <span class="text">{shown}</span>
}

function ObjectCell({ value }: { value: Json }) {
  const { web_url: address } = value
  const name = nameOfObject(value)
  if (name === '') return <None />
  return typeof address === 'string' ? <a href={address}>{name}</a> : <span>{name}</span>
}

function ListCell({ schema, value, name, said }: Omit<CellProps, 'value'> & { value: readonly unknown[] }) {
  const isOfSet = isRole(name) || Boolean(schema?.item?.values)
  const texts = value.map((one) => {
    if (isObject(one)) return nameOfObject(one)
    return valueWords(said)?.[String(one)] ?? (isOfSet ? wordOf(name, one) : String(one))
  })
  return texts.length > 0 ? <span>{texts.join(', ')}</span> : <None />
}

const None = () => <span class="none soft">–</span>

/** A value by its schema. */
export function Cell({ schema, value, name, said, isWhole }: CellProps): Html {
  const named = valueWords(said)?.[String(value)]
  if (named !== undefined) return <span>{named}</span>
  if (value === null || value === undefined || value === '') return <None />
  if (Array.isArray(value)) return <ListCell schema={schema} value={value} name={name} said={said} />
  if (isObject(value)) return <ObjectCell value={value} />
  if (schema?.kind === 'moment' || schema?.kind === 'day')
    return <Time at={String(value)} isExact={/^next_/.test(name)} />
  if (typeof value === 'boolean') return <span>{value ? 'Yes' : 'No'}</span>
  if (name === 'status' && isStatus(value)) return <Status status={value} />
  if (isRole(name) || schema?.values || /^(state|status|\w+_status|event_name)$/.test(name))
    return <span>{wordOf(name, value)}</span>
  const text = String(value)
  if (name === 'web_url') return <a href={text}>{text}</a>
  if (!/(^|_)color$/.test(name)) return <Text text={text} name={name} isWhole={isWhole} />
  return (
    <>
      <Dot color={text} /> <code>{text}</code>
    </>
  )
}
