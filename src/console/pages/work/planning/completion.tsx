import { notFound } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import { named } from '../../../operations.ts'
import { type Page, page } from '../../../page.ts'

type Named = { title: string; username: string; name: string; references: { short: string; full: string } }
type Owner = 'project' | 'group'

const referenceAt = (at: Owner, { short, full }: Named['references']) => (at === 'project' ? short : full)

/** What a sign is completed to: the operation that finds it, and its reference with a few words. */
const kindsAt = (at: Owner) => ({
  '@': {
    list: named(`${at}_members.all`),
    by: 'query',
    entry: ({ username, name }: Named) => [`@${username}`, name] as const,
  },
  '#': {
    list: named(`${at}_issues.list`),
    by: 'search',
    entry: ({ references, title }: Named) => [referenceAt(at, references), title] as const,
  },
  '!': {
    list: named(`${at}_merge_requests.list`),
    by: 'search',
    entry: ({ references, title }: Named) => [referenceAt(at, references), title] as const,
  },
  '~': {
    list: named(`${at}_labels.list`),
    by: 'search',
    entry: ({ name }: Named) => [/^[\w-]+$/.test(name) ? `~${name}` : `~"${name}"`, name] as const,
  },
})

const most = 8

function Entries({ entries }: { entries: readonly (readonly [reference: string, text: string])[] }): Html {
  return (
    <ul class="references">
      {entries.map(([reference, text]) => (
        <li data-reference={reference}>
          <b>{reference}</b> {text}
        </li>
      ))}
    </ul>
  )
}

/** What the script offers while one writes: members, issues, merge requests and labels that begin with a sign. */
const completionAt = (at: Owner): Page =>
  page({
    at,
    path: 'completion',
    async show(visit) {
      const { sign = '', text = '' } = visit.query
      const kinds = kindsAt(at)
      if (!Object.hasOwn(kinds, sign)) throw notFound('Page')
      const { list, by, entry } = kinds[sign as keyof typeof kinds]
      const isNumber = /^\d{1,9}$/.test(text) && (sign === '#' || sign === '!')
      const asked = text === '' ? {} : isNumber ? { iids: [Number(text)] } : { [by]: text }
      const found = (await visit.find(list, { id: visit[at].id, per_page: most, ...asked })) as {
        items: Named[]
      } | null
      return { title: 'References', body: <Entries entries={(found?.items ?? []).map(entry)} /> }
    },
  })

/** The references of projects and groups. */
export const completions: readonly Page[] = [completionAt('project'), completionAt('group')]
