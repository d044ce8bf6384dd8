import {
  type ReleaseObject,
  releaseLinksCreate,
  releaseLinksDelete,
  releasesCreate,
  releasesDelete,
  releasesGet,
  releasesList,
  releasesUpdate,
} from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do, Field, Form } from '../../../parts/form.tsx'
import { Avatar, Empty, Icon, Pages, Time } from '../../../parts/parts.tsx'
import { Prose } from '../../../parts/writing/index.ts'
import { archiveAddress } from '../downloads.tsx'
import { at, atPath } from '../places.ts'

const addressOf = (visit: Visit, tag: string) => at(visit, `releases/${encodeURIComponent(tag)}`)

/** Links of the release, and archives of its source. */
function Assets({ visit, release: { assets, tag_name: tag } }: { visit: Visit; release: ReleaseObject }) {
  return (
    <ul class="assets">
      {assets?.links.map(({ name, url, link_type: type }) => (
        <li>
          <Icon name="link" />
          <a href={url} rel="noreferrer noopener">
            {name}
          </a>
          {type !== 'other' && <span class="soft">{type}</span>}
        </li>
      ))}
      {tag !== undefined &&
        assets?.sources?.map(({ format }) => (
          <li>
            <Icon name="download" />
            <a href={archiveAddress(visit, format, tag)} download>
              Source ({format})
            </a>
          </li>
        ))}
    </ul>
  )
}

function Release({ visit, release, isOne }: { visit: Visit; release: ReleaseObject; isOne?: boolean }) {
  const { name, tag_name: tag, commit, author, description, milestones } = release
  return (
    <article class="release">
      {!isOne && <h2>{tag === undefined ? name : <a href={addressOf(visit, tag)}>{name}</a>}</h2>}
      <p class="by">
        {author && <Avatar name={author.name} />}
        {author?.name}
        <span class="soft">
          <Time at={release.released_at} />
        </span>
        {release.upcoming_release && <span class="tagged">upcoming</span>}
        {tag !== undefined && (
          <a class="label" href={atPath(visit, 'tags', tag)}>
            <Icon name="tag" label="Tag" />
            {tag}
          </a>
        )}
        {commit && (
          <a class="sha" href={at(visit, `commit/${commit.id}`)}>
            {commit.short_id}
          </a>
        )}
        {milestones?.map((milestone) => (
          <a class="label" href={at(visit, `milestones/${milestone.iid}`)}>
            {milestone.title}
          </a>
        ))}
      </p>
      {description && <Prose visit={visit} text={description} name={(tag ?? name ?? '').replace(/\W/g, '-')} />}
      <details class="more" open={isOne}>
        <summary>Assets ({release.assets?.count ?? 0})</summary>
        <Assets visit={visit} release={release} />
      </details>
    </article>
  )
}

/** The releases of a project, newest first. */
export const releases = page({
  at: 'project',
  path: 'releases',
  nav: { section: 'Deploy', label: 'Releases', operation: releasesList },
  async show(visit) {
    const { id } = visit.project
    const [found, mayCreate] = await Promise.all([
      visit.read(releasesList, { id, page: visit.number, per_page: 10 }),
      visit.may(releasesCreate, { id }),
    ])
    return {
      title: 'Releases',
      actions: mayCreate && (
        <a class="button primary" href={at(visit, 'releases/new')}>
          New release
        </a>
      ),
      body: (
        <div>
          {found.items.length === 0 && (
            <Empty title="No releases yet.">
              <p>A release is a tag with notes and files to download.</p>
            </Empty>
          )}
          {found.items.map((release) => (
            <Release visit={visit} release={release} />
          ))}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

/** A form for a release, and for its tag when there is none yet. */
export const newRelease = page({
  at: 'project',
  path: 'releases/new',
  performs: [releasesCreate],
  async show(visit) {
    const { id, default_branch: ref } = visit.project
    const form = { visit, operation: releasesCreate }
    return {
      title: 'New release',
      crumbs: [['Releases', at(visit, 'releases')]],
      body: (
        <Form visit={visit} performs={releasesCreate} call={{ id }} then={at(visit, 'releases')} class="stack">
          <Field {...form} name="tag_name" options={{ label: 'Tag', value: visit.query.tag }} />
          <Field {...form} name="ref" options={{ label: 'Made at, if there is no such tag', value: ref, hint: '' }} />
          <Field {...form} name="name" options={{ label: 'Title' }} />
          <Field {...form} name="description" options={{ label: 'Notes', rows: 10 }} />
          <button class="primary">Create the release</button>
        </Form>
      ),
    }
  },
})

/** A release with its assets. */
export const release = page({
  at: 'project',
  path: 'releases/:tag',
  performs: [releasesDelete],
  async show(visit) {
    const call = { id: visit.project.id, tag_name: visit.params.tag ?? '' }
    const [shown, mayChange] = await Promise.all([visit.read(releasesGet, call), visit.may(releasesUpdate, call)])
    return {
      title: shown.name,
      crumbs: [['Releases', at(visit, 'releases')]],
      actions: mayChange && (
        <>
          <a class="button" href={`${addressOf(visit, call.tag_name)}/edit`}>
            Edit
          </a>
          <Confirm label="Delete" question="Delete the release? Its tag stays.">
            <Do visit={visit} performs={releasesDelete} call={call} then={at(visit, 'releases')} kind="danger">
              Delete the release
            </Do>
          </Confirm>
        </>
      ),
      body: <Release visit={visit} release={shown} isOne />,
    }
  },
})

/** Forms for a release and its links. */
export const editRelease = page({
  at: 'project',
  path: 'releases/:tag/edit',
  performs: [releasesUpdate, releaseLinksCreate, releaseLinksDelete],
  async show(visit) {
    const call = { id: visit.project.id, tag_name: visit.params.tag ?? '' }
    const shown = await visit.read(releasesGet, call)
    const address = addressOf(visit, call.tag_name)
    const form = { visit, operation: releasesUpdate }
    const link = { visit, operation: releaseLinksCreate }
    return {
      title: `Edit ${shown.name}`,
      crumbs: [
        ['Releases', at(visit, 'releases')],
        [shown.name, address],
      ],
      body: (
        <div>
          <Form visit={visit} performs={releasesUpdate} call={call} then={address} class="stack">
            <Field {...form} name="name" options={{ label: 'Title', value: shown.name }} />
            <Field {...form} name="description" options={{ label: 'Notes', rows: 10, value: shown.description }} />
            <button class="primary">Save the release</button>
          </Form>
          <h2>Links</h2>
          <ul class="rows">
            {shown.assets?.links.map(({ id: link_id, name, url }) => (
              <li>
                <Icon name="link" />
                <span class="grow ellipsis">
                  {name} <span class="soft">{url}</span>
                </span>
                <Do visit={visit} performs={releaseLinksDelete} call={{ ...call, link_id }} kind="quiet">
                  Remove
                </Do>
              </li>
            ))}
          </ul>
          <Form visit={visit} performs={releaseLinksCreate} call={call} class="stack">
            <Field {...link} name="name" options={{ label: 'Name' }} />
            <Field {...link} name="url" options={{ label: 'Address' }} />
            <Field {...link} name="link_type" options={{ label: 'Kind' }} />
            <button>Add the link</button>
          </Form>
        </div>
      ),
    }
  },
})
