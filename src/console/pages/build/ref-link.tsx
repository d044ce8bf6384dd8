import type { Visit } from '../../page.ts'
import { Icon } from '../../parts/parts.tsx'
import { at, pathOf } from '../code/places.ts'

/** What a pipeline runs for: a branch, a tag or a merge request. */
export function RefLink({ visit, one: { ref, tag, source } }: { visit: Visit; one: RanFor }) {
  const [, iid] = (source === 'merge_request_event' && /^refs\/merge-requests\/(\d+)\/(?:head|train)$/.exec(ref)) || []
  if (iid !== undefined) return <a href={at(visit, `merge_requests/${iid}`)}>!{iid}</a>
  return (
    <a href={at(visit, `${tag ? 'tags' : 'tree'}/${pathOf(ref)}`)}>
      <Icon name={tag ? 'tag' : 'branch'} /> {ref}
    </a>
  )
}

type RanFor = { ref: string; tag?: boolean | undefined; source: string }
