import { notFound } from '../../../api/index.ts'
import type { Visit } from '../../page.ts'

/** The number that an address has in this place. @throws ApiError 404 for another text */
export function numberIn({ params }: Visit, name: 'pipeline' | 'job'): number {
  const text = params[name] ?? ''
  if (!/^\d{1,15}$/.test(text)) throw notFound('Page')
  return Number(text)
}
