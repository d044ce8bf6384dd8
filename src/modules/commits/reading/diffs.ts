import { nullable, Type } from '../../../api/index.ts'
import type { FileDiff } from '../../../infra/git/index.ts'

/** The changes of one file (contract 22, Diff). */
export const Diff = Type.Object(
  {
    diff: Type.String(),
    collapsed: Type.Boolean(),
    too_large: Type.Boolean(),
    new_path: Type.String(),
    old_path: Type.String(),
    a_mode: Type.String(),
    b_mode: Type.String(),
    new_file: Type.Boolean(),
    renamed_file: Type.Boolean(),
    deleted_file: Type.Boolean(),
    generated_file: nullable(Type.Boolean()),
  },
  { title: 'Diff' },
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are quoted
const unsafeInName = /[\u0000-\u001f\u007f"\\]/g
const escapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '"': '\\"', '\\': '\\\\' }

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

/** A name as git writes it in the header of a patch: quoted if necessary, followed by a tab if it contains a space. */
function headName(name: string): string {
  const quoted = name.replace(unsafeInName, (character) => escapes[character] ?? octal(character))
  if (quoted !== name) return `"${quoted}"`
  return name.includes(' ') ? `${name}\t` : name
}

/** The two lines before the first `@@`. */
function unifiedHead({ status, oldPath, newPath }: FileDiff): string {
  const before = status === 'added' ? '/dev/null' : headName(`a/${oldPath}`)
  const after = status === 'deleted' ? '/dev/null' : headName(`b/${newPath}`)
  return `--- ${before}\n+++ ${after}\n`
}

/** @param unified whether the patch starts with the lines that name the files */
export function presentDiff(file: FileDiff, unified: boolean) {
  const { patch, tooLarge, newPath, oldPath, oldMode, newMode, status } = file
  return {
    diff: unified && patch !== '' ? unifiedHead(file) + patch : patch,
    // Diffs are never collapsed.
    collapsed: false,
    too_large: tooLarge,
    new_path: newPath,
    old_path: oldPath,
    a_mode: oldMode,
    b_mode: newMode,
    new_file: status === 'added',
    renamed_file: status === 'renamed',
    deleted_file: status === 'deleted',
    // .gitattributes is not read.
    generated_file: null,
  }
}
