import type { Html } from '../../../../html/index.ts'
import { Counts } from '../../../../parts/diff/index.ts'
import { Icon } from '../../../../parts/parts.tsx'
import type { DiffFile } from './read.ts'

type File = { name: string; index: number; file: DiffFile }
type Folder = { name: string; folders: Map<string, Folder>; files: File[]; count: number; first: number }

const folderOf = (name: string, first: number): Folder => ({ name, folders: new Map(), files: [], count: 0, first })

/** The changed files as a tree. */
function treeOf(files: readonly DiffFile[]): Folder {
  const root = folderOf('', 0)
  for (const [index, file] of files.entries()) {
    const parts = file.new_path.split('/')
    const name = parts.pop() ?? ''
    let folder = root
    folder.count += 1
    for (const part of parts) {
      const next = folder.folders.get(part) ?? folderOf(part, index)
      folder.folders.set(part, next)
      next.count += 1
      folder = next
    }
    folder.files.push({ name, index, file })
  }
  return root
}

/** Trees with more files show only those of the page, and the other folders with their numbers of files. */
const mostFiles = 500
/** More entries of a folder are left out. */
const mostEntries = 200

type TreeProps = {
  /** Where the lines of a file are. */
  hrefOf(index: number): string
  /** Whether a file is shown in a tree that is too large to be shown as a whole. */
  isNear(index: number): boolean
  isWhole: boolean
}

function FileLine({ file: { name, index, file }, hrefOf }: { file: File } & Pick<TreeProps, 'hrefOf'>): Html {
  const kind = file.new_file ? 'new' : file.deleted_file ? 'deleted' : file.renamed_file ? 'renamed' : null
  return (
    <li class="tree-file">
      <a href={hrefOf(index)} title={file.new_path}>
        <Icon name="file" />
        <span class="ellipsis">{name}</span>
      </a>
      {kind && <span class="note">{kind}</span>}
      <Counts added={file.additions} removed={file.deletions} />
    </li>
  )
}

/** Folders with a single folder in them are one line. */
function joined(folder: Folder): Folder {
  const [only] = folder.folders.values()
  if (!only || folder.files.length > 0 || folder.folders.size > 1) return folder
  return joined({ ...only, name: `${folder.name}/${only.name}` })
}

function hasNear({ folders, files }: Folder, isNear: TreeProps['isNear']): boolean {
  return files.some(({ index }) => isNear(index)) || [...folders.values()].some((one) => hasNear(one, isNear))
}

function FolderLine({ folder, ...props }: { folder: Folder } & TreeProps): Html {
  const shown = joined(folder)
  if (!props.isWhole && !hasNear(shown, props.isNear)) {
    return (
      <li>
        <a href={props.hrefOf(shown.first)}>
          <Icon name="folder" />
          {shown.name} <span class="soft">{shown.count}</span>
        </a>
      </li>
    )
  }
  return (
    <li>
      <details open>
        <summary>
          <Icon name="folder" />
          {shown.name}
        </summary>
        <Entries folder={shown} {...props} />
      </details>
    </li>
  )
}

function Entries({ folder, ...props }: { folder: Folder } & TreeProps): Html {
  const files = folder.files.filter(({ index }) => props.isWhole || props.isNear(index))
  const folders = [...folder.folders.values()]
  const left = Math.max(0, folders.length - mostEntries) + folder.files.length - files.length
  return (
    <ul>
      {folders.slice(0, mostEntries).map((one) => (
        <FolderLine folder={one} {...props} />
      ))}
      {files.map((file) => (
        <FileLine file={file} hrefOf={props.hrefOf} />
      ))}
      {left > 0 && <li class="soft">and {left.toLocaleString('en')} more on other pages</li>}
    </ul>
  )
}

/** All changed files with the numbers of their lines. */
export function FileTree({ files, ...props }: { files: readonly DiffFile[] } & Omit<TreeProps, 'isWhole'>): Html {
  return (
    <nav class="file-tree" aria-label="Changed files">
      <Entries folder={treeOf(files)} {...props} isWhole={files.length <= mostFiles} />
    </nav>
  )
}
