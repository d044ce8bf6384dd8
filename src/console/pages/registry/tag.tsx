import type { AnswerOf } from '../../../api/index.ts'
import { projectRegistryDeleteTag, projectRegistryTag } from '../../operations.ts'
import { numberIn, page } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do } from '../../parts/form.tsx'
import { Copy, Time } from '../../parts/parts.tsx'
import { size } from '../../parts/words.ts'
import { at } from './places.ts'

type Tag = AnswerOf<typeof projectRegistryTag>

const shortDigest = (digest: string) => digest.slice(0, 19)

function Facts({ tag }: { tag: Tag }) {
  return (
    <dl class="members">
      <dt>Digest</dt>
      <dd>
        <code class="value">{tag.digest}</code>
      </dd>
      <dt>Size</dt>
      <dd>{size(tag.total_size)}</dd>
      <dt>Published</dt>
      <dd>
        <Time at={tag.published_at} />
      </dd>
      <dt>Image made</dt>
      <dd>
        <Time at={tag.created_at} />
      </dd>
      <dt>Media type</dt>
      <dd>
        <code class="value">{tag.media_type}</code>
      </dd>
    </dl>
  )
}

/** What the image runs on; of an index, each of its images. */
function Platforms({ platforms = [] }: Pick<Tag, 'platforms'>) {
  if (platforms.length === 0) return <></>
  return (
    <section>
      <h2>Platforms</h2>
      <ul class="rows">
        {platforms.map(({ os, architecture, variant, digest, size: bytes }) => (
          <li>
            <span class="grow">{[os, architecture, variant].filter(Boolean).join('/') || 'Not named'}</span>
            <span class="sha">{shortDigest(digest)}</span>
            <span class="meta when">{size(bytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Layers({ layers = [] }: Pick<Tag, 'layers'>) {
  if (layers.length === 0) return <></>
  return (
    <section>
      <h2>Layers</h2>
      <ol class="rows">
        {layers.map(({ digest, media_type: type, size: bytes }) => (
          <li>
            <span class="sha">{shortDigest(digest)}</span>
            <span class="grow ellipsis soft">{type}</span>
            <span class="meta when">{size(bytes)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** A tag: what its image is made of, and how to pull it. */
export const tag = page({
  at: 'project',
  path: 'container_registry/:repository/tags/:tag',
  performs: [projectRegistryDeleteTag],
  async show(visit) {
    const repository = numberIn(visit, 'repository')
    const call = { id: visit.project.id, repository_id: repository, tag_name: visit.params.tag ?? '' }
    const [shown, mayDelete] = await Promise.all([
      visit.read(projectRegistryTag, { ...call, details: true }),
      visit.may(projectRegistryDeleteTag, call),
    ])
    const image = shown.location.slice(0, -shown.name.length - 1)
    const address = at(visit, `/${repository}`)
    return {
      title: shown.name,
      crumbs: [
        ['Container registry', at(visit)],
        [image.slice(image.indexOf('/') + 1), address],
      ],
      actions: mayDelete && (
        <Confirm label="Delete" question={`Delete the tag ${shown.name}? Other tags of the image stay.`}>
          <Do visit={visit} performs={projectRegistryDeleteTag} call={call} then={address} kind="danger">
            Delete the tag
          </Do>
        </Confirm>
      ),
      body: (
        <div class="derived">
          <Copy text={`docker pull ${shown.location}`} label="Pull command" />
          <Copy text={`docker pull ${image}@${shown.digest}`} label="Pull command by digest" />
          <Facts tag={shown} />
          <Platforms platforms={shown.platforms} />
          <Layers layers={shown.layers} />
        </div>
      ),
    }
  },
})
