import type { AnswerOf } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import {
  issueClosedBy,
  issueLinksCreate,
  issueLinksDelete,
  issueLinksList,
  issueRelatedMergeRequests,
} from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Do, Form, visitOfForm } from '../../../parts/form.tsx'
import { Icon, Title } from '../../../parts/parts.tsx'
import { Select } from '../side.tsx'
import type { ReadIssue } from './read.ts'

type MergeRequest = { iid: number; title: string; state: string; web_url: string; references: { full: string } }

/** The issues that an issue is linked to, and the merge requests about it. */
export type Related = {
  links: AnswerOf<typeof issueLinksList>
  mergeRequests: readonly (MergeRequest & { closes: boolean })[]
}

/** Reads what is linked to an issue, as far as the caller may. */
export async function readRelated(visit: Visit, { call }: ReadIssue): Promise<Related> {
  const [links, related, closing] = await Promise.all([
    visit.find(issueLinksList, call),
    visit.find(issueRelatedMergeRequests, call),
    visit.find(issueClosedBy, call),
  ])
  const closes = new Set(closing?.items.map((one) => (one as MergeRequest).web_url))
  const all = [...(closing?.items ?? []), ...(related?.items ?? [])] as MergeRequest[]
  const byAddress = new Map(all.map((one) => [one.web_url, { ...one, closes: closes.has(one.web_url) }]))
  return { links: links ?? [], mergeRequests: [...byAddress.values()] }
}

const types = [
  ['relates_to', 'is about the same as'],
  ['blocks', 'blocks'],
  ['is_blocked_by', 'is blocked by'],
] as const
const said: Readonly<Record<string, string>> = { relates_to: 'Related', blocks: 'Blocks', is_blocked_by: 'Blocked by' }

function NewLink({ visit, of: { call } }: { visit: Visit; of: ReadIssue }): Html {
  const { refused } = visitOfForm(visit, issueLinksCreate)
  return (
    <details class="side-edit" open={refused !== null}>
      <summary class="quiet">Link an issue</summary>
      <Form visit={visit} performs={issueLinksCreate} call={call} class="link-form">
        <Select name="link_type" label="How it is linked" choices={types} chosen="relates_to" />
        <label>
          # <input type="number" name="target_issue_iid" min={1} required />
        </label>
        <label>
          of project{' '}
          <input
            type="text"
            name="target_project_id"
            value={String(refused?.values.target_project_id ?? visit.project.path_with_namespace)}
            required
          />
        </label>
        <button>Link</button>
      </Form>
    </details>
  )
}

/** Linked issues and merge requests below the text of an issue. */
export function RelatedLists({ visit, of, related }: { visit: Visit; of: ReadIssue; related: Related }): Html {
  const { links, mergeRequests } = related
  const path = visit.project.path_with_namespace
  if (links.length === 0 && mergeRequests.length === 0 && !of.mayChange) return <></>
  return (
    <section class="related">
      <h2>Linked</h2>
      <ul class="rows">
        {links.map((link) => (
          <li>
            <Icon
              name={link.state === 'opened' ? 'open' : 'done'}
              label={link.state === 'opened' ? 'Open' : 'Closed'}
            />
            <span class="grow">
              <span class="soft">{said[link.link_type]}</span>{' '}
              <a class="strong" href={pathOfUrl(link.web_url)}>
                <Title text={link.title} />
              </a>{' '}
              <span class="soft">
                {link.references.full.startsWith(`${path}#`) ? link.references.short : link.references.full}
              </span>
            </span>
            {of.mayChange && (
              <Do
                visit={visit}
                performs={issueLinksDelete}
                call={{ ...of.call, issue_link_id: link.issue_link_id }}
                kind="quiet"
              >
                Remove<span class="hidden"> the link to {link.references.full}</span>
              </Do>
            )}
          </li>
        ))}
        {mergeRequests.map(({ title, state, web_url: url, references, closes }) => (
          <li>
            <Icon name="branch" label={state} />
            <span class="grow">
              <span class="soft">{closes ? 'Closed by' : 'Mentioned in'}</span>{' '}
              <a class="strong" href={pathOfUrl(url)}>
                <Title text={title} />
              </a>{' '}
              <span class="soft">
                {references.full} · {state}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {of.mayChange && <NewLink visit={visit} of={of} />}
    </section>
  )
}
