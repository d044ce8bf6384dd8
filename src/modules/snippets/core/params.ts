import { type Param, type ParamValues, t } from '../../../api/index.ts'
import { visibilityLevels } from '../../../platform/settings/index.ts'

/** Whether a path stays in the folder that it is relative to. */
const isRelative = (path: string) => !path.startsWith('/') && !path.split(/[/\\]/).includes('..')

/** The path of a file. */
function filePath(options: { blank?: boolean; description?: string } = {}): Param<string, false> {
  const text = t.string(options)
  return {
    ...text,
    read(value, name, problems) {
      const path = text.read(value, name, problems)
      if (path === undefined || isRelative(path)) return path
      problems.push({ name, missing: false, text: 'should be a valid file path' })
      return undefined
    },
  }
}

/** A list of objects that is not empty. What is no object makes the list as a whole invalid (contract 3.12). */
function filesOf<T>(item: Param<T>, description: string): Param<T[], false> {
  const list = t.array(item, { maximum: 1_000, description })
  return {
    ...list,
    read(value, name, problems) {
      const found: typeof problems = []
      const read = list.read(value, name, found)
      const isOfItem = (problem: { name: string }) => /^\[\d+\]$/.test(problem.name.slice(name.length))
      if (found.some(isOfItem)) problems.push({ name, missing: false, text: 'is invalid' })
      else if (read?.length === 0) problems.push({ name, missing: false, text: 'is empty' })
      else problems.push(...found)
      return read
    },
  }
}

const newFile = t.object({
  file_path: t.required(filePath({ blank: false, description: 'Relative; directories are created.' })),
  content: t.required(t.string({ blank: false })),
})

const visibility = t.oneOf(visibilityLevels, { description: 'Default: the setting `default_snippet_visibility`.' })

const deprecated = 'Deprecated: use `files`.'

export const newSnippet = {
  title: t.required(t.string({ blank: false, description: 'At most 255 characters.' })),
  description: t.nullable(t.string({ description: 'At most 1 MiB.' })),
  visibility,
  files: filesOf(newFile, '1 to 10 files.'),
  content: t.string({ blank: false, description: deprecated }),
  file_name: filePath({ blank: false, description: deprecated }),
}
export type NewSnippet = ParamValues<typeof newSnippet>

/** In a project, the visibility is required. */
export const newProjectSnippet = { ...newSnippet, visibility: t.required(t.oneOf(visibilityLevels)) }

export const fileActions = ['create', 'update', 'delete', 'move'] as const

const changedFile = t.object({
  action: t.required(t.oneOf(fileActions)),
  file_path: filePath({ description: 'A new file without one gets a name.' }),
  previous_path: filePath({ description: 'For `move`: the present path.' }),
  content: t.string(),
})

export const snippetChanges = {
  title: t.string({ blank: false, description: 'At most 255 characters.' }),
  description: t.nullable(t.string({ description: 'At most 1 MiB.' })),
  visibility: t.oneOf(visibilityLevels),
  files: filesOf(changedFile, 'Changes of files, in order, as one commit.'),
  content: t.string({ blank: false, description: deprecated }),
  file_name: filePath({ blank: false, description: deprecated }),
}
export type SnippetChanges = ParamValues<typeof snippetChanges>
export type ChangedFile = NonNullable<SnippetChanges['files']>[number]
