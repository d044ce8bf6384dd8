import {
  type ItemOf,
  projectRegistryDelete,
  projectRegistryDeleteTag,
  projectRegistryDeleteTags,
  projectRegistryTags,
  registryGet,
} from '../../operations.ts'
import { numberIn, page, type Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do } from '../../parts/form.tsx'
import { Copy, Empty, Pages, Time } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { size } from '../../parts/words.ts'
import { at, nameOf, tagAddress } from './places.ts'
import { Deletion, isLeaving } from './repositories.tsx'

type Tag = ItemOf<typeof projectRegistryTags>

/** The tags of a repository as a table. @param mayDelete whether each has a button for that */
export function Tags({ visit, tags, mayDelete }: { visit: Visit; tags: readonly Tag[]; mayDelete?: boolean }) {
  const repository = numberIn(visit, 'repository')
  const call = { id: visit.project.id, repository_id: repository }
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Tags">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Tag</th>
            <th scope="col">Size</th>
            <th scope="col">Digest</th>
            <th scope="col">Published</th>
            {mayDelete && (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {tags.map(({ name, total_size, digest, published_at }) => (
            <tr>
              <td>
                <a class="strong" href={tagAddress(visit, repository, name)}>
                  {name}
                </a>
              </td>
              <td>{total_size !== undefined && size(total_size)}</td>
              <td>
                <span class="sha">{digest?.slice(0, 19)}</span>
              </td>
              <td>
                <Time at={published_at} />
              </td>
              {mayDelete && (
                <td class="acts">
                  <Do visit={visit} performs={projectRegistryDeleteTag} call={{ ...call, tag_name: name }} kind="quiet">
                    Delete<span class="hidden"> {name}</span>
                  </Do>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Actions({ visit, mayDeleteTags, mayDelete }: { visit: Visit; mayDeleteTags: boolean; mayDelete: boolean }) {
  const repository = numberIn(visit, 'repository')
  const call = { id: visit.project.id, repository_id: repository }
  return (
    <>
      {mayDeleteTags && (
        <a class="button" href={at(visit, `/${repository}/deletion`)}>
          Delete tags
        </a>
      )}
      {mayDelete && (
        <Confirm label="Delete" question="Delete the repository with all of its tags?">
          <Do visit={visit} performs={projectRegistryDelete} call={call} kind="danger">
            Delete the repository
          </Do>
        </Confirm>
      )}
    </>
  )
}

/** A repository of images with its tags. */
export const repository = page({
  at: 'project',
  path: 'container_registry/:repository',
  performs: [projectRegistryDelete, projectRegistryDeleteTag],
  async show(visit) {
    const id = numberIn(visit, 'repository')
    const call = { id: visit.project.id, repository_id: id }
    const [tags, shown, mayDeleteTag, mayDeleteTags, mayDelete] = await Promise.all([
      visit.read(projectRegistryTags, { ...call, details: true, page: visit.number }),
      // Visitors may read the tags of public projects, and no repository by itself.
      visit.find(registryGet, { id, size: true, tags_count: true }),
      visit.may(projectRegistryDeleteTag, { ...call, tag_name: '' }),
      visit.may(projectRegistryDeleteTags, call),
      visit.may(projectRegistryDelete, call),
    ])
    const [first] = tags.items
    const location = shown?.location ?? first?.location.slice(0, -first.name.length - 1)
    const isGoing = shown !== null && isLeaving(shown)
    return {
      title: shown ? nameOf(shown) : (location?.split('/').at(-1) ?? 'Repository'),
      crumbs: [['Container registry', at(visit)]],
      actions: !isGoing && <Actions visit={visit} mayDeleteTags={mayDeleteTags} mayDelete={mayDelete} />,
      refreshes: isGoing,
      body: (
        <div class="derived">
          <Refusal visit={visit} />
          {shown && (
            <p class="by">
              <Deletion of={shown} />
              <span>{shown.tags_count === 1 ? '1 tag' : `${shown.tags_count} tags`}</span>
              <span>{size(shown.size ?? 0)}</span>
              <span class="soft">
                <Time at={shown.created_at} />
              </span>
            </p>
          )}
          {location && <Copy text={`docker pull ${location}`} label="Pull command" />}
          {tags.items.length === 0 ? (
            <Empty title="No tags.">
              <p>Images without a tag are removed after some time.</p>
            </Empty>
          ) : (
            <Tags visit={visit} tags={tags.items} mayDelete={mayDeleteTag && !isGoing} />
          )}
          <Pages path={visit.path} page={visit.number} of={tags} />
        </div>
      ),
    }
  },
})
