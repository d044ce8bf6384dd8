import type { AnswerOf } from '../../../api/index.ts'
import {
  type ItemOf,
  packageFilesDelete,
  packageFilesDownload,
  packageFilesList,
  packagesDelete,
  packagesGet,
} from '../../operations.ts'
import { numberIn, page, type Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do } from '../../parts/form.tsx'
import { Copy, Empty, Pages, Time } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { size, words } from '../../parts/words.ts'
import { commandsOf } from './commands.ts'
import { formatOf } from './lists.tsx'
import { at } from './places.ts'

type Package = AnswerOf<typeof packagesGet>
type File = ItemOf<typeof packageFilesList>

function Facts({ of }: { of: Package }) {
  const { pipeline, tags, status } = of
  return (
    <dl class="members">
      <dt>Format</dt>
      <dd>{formatOf(of.package_type)}</dd>
      <dt>Published</dt>
      <dd>
        <Time at={of.created_at} />
      </dd>
      {of.last_downloaded_at && <dt>Last download</dt>}
      {of.last_downloaded_at && (
        <dd>
          <Time at={of.last_downloaded_at} />
        </dd>
      )}
      {status !== 'default' && <dt>Status</dt>}
      {status !== 'default' && <dd>{words(status)}</dd>}
      {tags.length > 0 && <dt>Tags</dt>}
      {tags.length > 0 && <dd>{tags.map(({ name }) => name).join(', ')}</dd>}
      {pipeline && <dt>Pipeline</dt>}
      {pipeline && (
        <dd>
          <a href={new URL(pipeline.web_url).pathname}>#{pipeline.id}</a> of {pipeline.ref}
        </dd>
      )}
    </dl>
  )
}

type FilesProps = { visit: Visit; id: number; files: readonly File[]; mayDelete: boolean }

function Files({ visit, id, files, mayDelete }: FilesProps) {
  if (files.length === 0) return <Empty title="The package has no files." />
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Files">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Size</th>
            <th scope="col">SHA-256</th>
            <th scope="col">Published</th>
            {mayDelete && (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr>
              <td>
                <a class="strong" href={at(visit, `packages/${id}/files/${file.id}`)} download>
                  {decodeURIComponent(file.file_name)}
                </a>
              </td>
              <td>{size(file.size)}</td>
              <td>
                <span class="sha">{file.file_sha256.slice(0, 12)}</span>
              </td>
              <td>
                <Time at={file.created_at} />
              </td>
              {mayDelete && (
                <td class="acts">
                  <Confirm label="Delete" question={`Delete the file ${decodeURIComponent(file.file_name)}?`}>
                    <Do
                      visit={visit}
                      performs={packageFilesDelete}
                      call={{ id: visit.project.id, package_id: id, package_file_id: file.id }}
                      kind="danger"
                    >
                      Delete the file
                    </Do>
                  </Confirm>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Versions that a page shows; lists find the others. */
const shownVersions = 100

function Versions({ visit, of }: { visit: Visit; of: Package }) {
  if (of.versions.length === 0) return <></>
  const hidden = Math.max(0, of.versions.length - shownVersions)
  return (
    <section>
      <h2>Other versions</h2>
      <ul class="rows">
        {of.versions
          .slice(-shownVersions)
          .toReversed()
          .map(({ id, version, created_at, tags }) => (
            <li>
              <div class="grow">
                <a class="strong" href={at(visit, `packages/${id}`)}>
                  {version ?? 'all versions'}
                </a>{' '}
                <span class="soft">{tags.map(({ name }) => name).join(', ')}</span>
              </div>
              <span class="meta when">
                <Time at={created_at} />
              </span>
            </li>
          ))}
      </ul>
      {hidden > 0 && <p class="soft">{hidden} more are in the list of packages.</p>}
    </section>
  )
}

/** A package: the commands that install it, its files and the other versions of its name. */
export const onePackage = page({
  at: 'project',
  path: 'packages/:package',
  performs: [packagesDelete, packageFilesDelete],
  async show(visit) {
    const [project, id] = [visit.project.id, numberIn(visit, 'package')]
    const call = { id: project, package_id: id }
    const [of, files, mayDelete] = await Promise.all([
      visit.read(packagesGet, call),
      visit.read(packageFilesList, { ...call, sort: 'desc', page: visit.number }),
      visit.may(packagesDelete, call),
    ])
    return {
      title: `${of.name} ${of.version ?? ''}`.trim(),
      crumbs: [['Package registry', at(visit, 'packages')]],
      actions: mayDelete && (
        <Confirm label="Delete" question={`Delete ${of.name} ${of.version ?? ''} with all of its files?`}>
          <Do visit={visit} performs={packagesDelete} call={call} then={at(visit, 'packages')} kind="danger">
            Delete the package
          </Do>
        </Confirm>
      ),
      body: (
        <div class="derived">
          <Refusal visit={visit} of={packagesDelete} />
          <Refusal visit={visit} of={packageFilesDelete} />
          {commandsOf(visit, of, files.items[0]?.file_name).map(({ label, text }) => (
            <Copy text={text} label={label} />
          ))}
          <Facts of={of} />
          <section>
            <h2>Files</h2>
            <Files visit={visit} id={id} files={files.items} mayDelete={mayDelete} />
            <Pages path={visit.path} page={visit.number} of={files} />
          </section>
          <Versions visit={visit} of={of} />
        </div>
      ),
    }
  },
})

/** A file of a package. */
export const packageFile = page({
  at: 'project',
  path: 'packages/:package/files/:file',
  async show(visit) {
    const call = {
      ...{ id: visit.project.id, package_id: numberIn(visit, 'package') },
      package_file_id: numberIn(visit, 'file'),
    }
    return { file: await visit.read(packageFilesDownload, call) }
  },
})
