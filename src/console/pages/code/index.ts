import type { Page } from '../../page.ts'
import { download } from './downloads.tsx'
import { blame } from './files/blame.tsx'
import { create, edit, remove } from './files/edit.tsx'
import { blob, raw } from './files/file.tsx'
import { findFile } from './files/find-file.tsx'
import { projectHome } from './files/home.tsx'
import { tree, treeHome } from './files/tree.tsx'
import { branches } from './history/branches.tsx'
import { commit } from './history/commit.tsx'
import { commits, commitsHome } from './history/commits.tsx'
import { compare, compareHome } from './history/compare.tsx'
import { contributors, contributorsHome } from './history/contributors.tsx'
import { tag, tags } from './history/tags.tsx'
import { editRelease, newRelease, release, releases } from './published/releases.tsx'
import { snippets } from './published/snippets.tsx'
import { wikis } from './published/wikis.tsx'

/** The pages about code, in the order of the navigation. */
export const codePages: readonly Page[] = [
  ...[projectHome, treeHome, tree, blob, raw, blame, findFile, download, edit, create, remove],
  ...[commitsHome, commits, commit, branches, tags, tag, compareHome, compare, contributorsHome, contributors],
  ...snippets,
  ...wikis,
  ...[releases, newRelease, release, editRelease],
]
