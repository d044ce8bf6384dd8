import type { Page } from '../page.ts'
import { type Family, knownFamily, knownSingle, type Single } from './declared.ts'
import { createPage } from './pages/create-page.tsx'
import { deletePage } from './pages/delete-page.tsx'
import { listPage } from './pages/list-page.tsx'
import { onePage } from './pages/one-page.tsx'
import { deleteSinglePage, singlePage } from './pages/single-page.tsx'

/** The pages of a family: the list, the form for a new one, one, and the question before it is deleted. */
export function family(declared: Family): readonly Page[] {
  const known = knownFamily(declared)
  const { create, remove, hasOwnPage } = known
  const pages = [listPage(known), ...(create ? [createPage(known, create)] : [])]
  if (hasOwnPage) return pages
  return [...pages, onePage(known), ...(remove ? [deletePage(known, remove)] : [])]
}

/** The pages of an object of which its place has one. */
export function single(declared: Single): readonly Page[] {
  const known = knownSingle(declared)
  return [singlePage(known), ...(known.remove ? [deleteSinglePage(known, known.remove)] : [])]
}

/** The page for a new one alone, where the list is a page of its own, at `listAddress`. */
export function creation(declared: Family, listAddress: string): readonly Page[] {
  const known = knownFamily(declared)
  return known.create ? [createPage(known, known.create, listAddress)] : []
}
