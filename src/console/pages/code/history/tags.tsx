import { type TagObject, tagsCreate, tagsDelete, tagsGet, tagsList, tagsSignature } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do, Field, Form } from '../../../parts/form.tsx'
import { Empty, Icon, Pages, Time } from '../../../parts/parts.tsx'
import { Downloads } from '../downloads.tsx'
import { CommitLine } from '../pieces.tsx'
import { at, atPath } from '../places.ts'

function Facts({ visit, tag }: { visit: Visit; tag: TagObject }) {
  return (
    <>
      {tag.protected && (
        <span class="tagged">
          <Icon name="lock" />
          protected
        </span>
      )}
      {tag.release && (
        <a class="tagged" href={at(visit, `releases/${encodeURIComponent(tag.name)}`)}>
          release
        </a>
      )}
    </>
  )
}

function NewTag({ visit }: { visit: Visit }) {
  const { id, default_branch: ref } = visit.project
  const optional = { rows: 3, hint: 'Makes an annotated tag.' }
  return (
    <details class="new" open={visit.refused?.operation === tagsCreate.id}>
      <summary>New tag</summary>
      <Form visit={visit} performs={tagsCreate} call={{ id }} then={at(visit, 'tags')} class="stack">
        <Field visit={visit} operation={tagsCreate} name="tag_name" options={{ label: 'Name' }} />
        <Field visit={visit} operation={tagsCreate} name="ref" options={{ label: 'At', value: ref }} />
        <Field visit={visit} operation={tagsCreate} name="message" options={optional} />
        <button class="primary">Create the tag</button>
      </Form>
    </details>
  )
}

/** The tags, newest first. */
export const tags = page({
  at: 'project',
  path: 'tags',
  nav: { section: 'Code', label: 'Tags', operation: tagsList },
  performs: [tagsCreate],
  async show(visit) {
    const { id } = visit.project
    const { search } = visit.query
    const [found, mayCreate] = await Promise.all([
      visit.read(tagsList, { id, page: visit.number, ...(search && { search }) }),
      visit.may(tagsCreate, { id }),
    ])
    return {
      title: 'Tags',
      actions: (
        <form method="get" class="inline-search" action={at(visit, 'tags')}>
          <input type="search" name="search" value={search ?? ''} placeholder="Name" aria-label="Name" />
        </form>
      ),
      body: (
        <div>
          {found.items.length === 0 && (
            <Empty title={search ? 'No tag has such a name.' : 'No tags yet.'}>
              <p>
                A tag names a commit for good: <code>git tag v1.0 && git push --tags</code>
              </p>
            </Empty>
          )}
          <ul class="rows">
            {found.items.map((tag) => (
              <li>
                <Icon name="tag" />
                <div class="grow">
                  <a class="strong" href={atPath(visit, 'tags', tag.name)}>
                    {tag.name}
                  </a>
                  <Facts visit={visit} tag={tag} />
                  <p class="sub ellipsis">{tag.message.split('\n', 1)[0] || tag.commit?.title}</p>
                </div>
                <span class="meta when">
                  <Time at={tag.created_at ?? tag.commit?.committed_date} />
                </span>
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
          {mayCreate && <NewTag visit={visit} />}
        </div>
      ),
    }
  },
})

/** A tag: its message, its commit and its files to download. */
export const tag = page({
  at: 'project',
  path: 'tags/*name',
  performs: [tagsDelete],
  async show(visit) {
    const { id } = visit.project
    const call = { id, tag_name: visit.params.name ?? '' }
    const [shown, signature, mayDelete] = await Promise.all([
      visit.read(tagsGet, call),
      visit.find(tagsSignature, call),
      visit.may(tagsDelete, call),
    ])
    return {
      title: shown.name,
      crumbs: [['Tags', at(visit, 'tags')]],
      actions: (
        <>
          <Facts visit={visit} tag={shown} />
          <a class="button" href={atPath(visit, 'tree', shown.name)}>
            Files
          </a>
          <Downloads visit={visit} ref={shown.name} />
          {mayDelete && !shown.protected && (
            <Confirm label="Delete" question={`Delete the tag ${shown.name}, and its release?`}>
              <Do visit={visit} performs={tagsDelete} call={call} then={at(visit, 'tags')} kind="danger">
                Delete the tag
              </Do>
            </Confirm>
          )}
        </>
      ),
      body: (
        <div>
          {shown.commit && (
            <div class="panel last-line">
              <CommitLine visit={visit} commit={shown.commit} />
            </div>
          )}
          {signature && <p class="soft">Signed: {signature.verification_status.replaceAll('_', ' ')}</p>}
          {shown.message && (
            <pre class="message" tabindex={0}>
              {shown.message}
            </pre>
          )}
          {shown.created_at && (
            <p class="soft">
              Made <Time at={shown.created_at} />
            </p>
          )}
        </div>
      ),
    }
  },
})
