import type { Child } from '../../html/index.ts'
import type { CommitObject, ListedCommit, TreeEntry } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Avatar, Icon, type IconName, Status, Time } from '../../parts/parts.tsx'
import { at, atPath, folderOf, shortRef } from './places.ts'

const kinds: Readonly<Record<string, [IconName, string]>> = {
  '040000': ['folder', 'Folder'],
  '100644': ['file', 'File'],
  '100755': ['file', 'Executable file'],
  '120000': ['link', 'Symbolic link'],
  '160000': ['branch', 'Submodule'],
}

type TreeProps = {
  visit: Visit
  ref: string
  path: string
  items: readonly TreeEntry[]
  /** The addresses of submodules by their paths. */
  modules: ReadonlyMap<string, string>
}

function EntryName({ visit, ref, entry, modules }: Omit<TreeProps, 'items' | 'path'> & { entry: TreeEntry }) {
  const { name, path, type, id } = entry
  if (type !== 'commit') return <a href={atPath(visit, type === 'tree' ? 'tree' : 'blob', ref, path)}>{name}</a>
  const address = modules.get(path)
  return (
    <span>
      {address ? <a href={address}>{name}</a> : name} <span class="sha">@ {id.slice(0, 8)}</span>
    </span>
  )
}

function LastChange({ visit, commit }: { visit: Visit; commit: TreeEntry['last_commit'] }) {
  if (!commit) return <td colspan={2}></td>
  return (
    <>
      <td class="change">
        <a href={at(visit, `commit/${commit.id}`)}>{commit.title || 'No message'}</a>
      </td>
      <td class="changed">
        <Time at={commit.committed_date} />
      </td>
    </>
  )
}

/** The entries of a folder. */
export function Tree({ visit, ref, path, items, modules }: TreeProps) {
  return (
    <table class="tree" aria-label="Files">
      <tbody>
        {path !== '' && (
          <tr>
            <td>
              <Icon name="folder" label="Folder" />
            </td>
            <th scope="row">
              <a href={atPath(visit, 'tree', ref, folderOf(path))} aria-label="Folder above">
                ..
              </a>
            </th>
            <td colspan={2}></td>
          </tr>
        )}
        {items.map((entry) => {
          const [icon, label] = kinds[entry.mode] ?? ['file', 'File']
          return (
            <tr>
              <td>
                <Icon name={icon} label={label} />
              </td>
              <th scope="row">
                <EntryName visit={visit} ref={ref} entry={entry} modules={modules} />
              </th>
              <LastChange visit={visit} commit={entry.last_commit} />
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

type ShownCommit = ListedCommit & Partial<Pick<CommitObject, 'last_pipeline'>>

/** A commit in one line, above what it changed last. */
export function CommitLine({ visit, commit }: { visit: Visit; commit: ShownCommit }) {
  const href = at(visit, `commit/${commit.id}`)
  return (
    <div class="commit-line">
      <Avatar name={commit.author_name} />
      <b>{commit.author_name}</b>
      <a class="grow ellipsis" href={href}>
        {commit.title || 'No message'}
      </a>
      {commit.last_pipeline && (
        <Status status={commit.last_pipeline.status} href={at(visit, `pipelines/${commit.last_pipeline.id}`)} />
      )}
      <a class="sha" href={href}>
        {commit.short_id}
      </a>
      <span class="meta">
        <Time at={commit.committed_date} />
      </span>
    </div>
  )
}

/** The way to the files of a ref by their paths. */
export function FindFile({ visit, ref }: { visit: Visit; ref: string }) {
  return (
    <a class="button" href={atPath(visit, 'find_file', ref)} data-key="t" title="Find a file by its path (t)">
      Find file
    </a>
  )
}

/** A commit in a list, with what follows it in its row. */
export function CommitRow({ visit, commit, children }: { visit: Visit; commit: ListedCommit; children?: Child }) {
  const href = at(visit, `commit/${commit.id}`)
  return (
    <li>
      <Avatar name={commit.author_name} />
      <div class="grow">
        <a class="strong" href={href}>
          {commit.title || 'No message'}
        </a>
        <p class="sub">
          {commit.author_name} · <Time at={commit.committed_date} />
        </p>
      </div>
      <a class="sha" href={href}>
        {commit.short_id}
      </a>
      {children}
    </li>
  )
}

type RefMenuProps = {
  visit: Visit
  ref: string
  path?: string
  /** The page that is shown of the other ref. */
  page?: string
  branches: readonly { name: string }[] | undefined
}

/** The other branches, for the same page. */
export function RefMenu({ visit, ref, path = '', page = 'tree', branches = [] }: RefMenuProps) {
  return (
    <details class="menu refs">
      <summary class="button">
        <Icon name="branch" />
        <span class="ellipsis">{shortRef(ref)}</span>
      </summary>
      <div class="popup">
        <ul>
          {branches.map(({ name }) => (
            <li>
              <a href={atPath(visit, page, name, path)} aria-current={name === ref ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
        <a class="soft" href={at(visit, 'branches')}>
          All branches
        </a>
        <a class="soft" href={at(visit, 'tags')}>
          All tags
        </a>
      </div>
    </details>
  )
}
