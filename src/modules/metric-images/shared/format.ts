import { open } from 'node:fs/promises'
import { failure } from '../../../api/index.ts'

/** With what the files of each format begin; null stands for any byte (contract 07, x.metric_image_create). */
const beginnings: Readonly<Record<string, readonly (readonly (number | null)[])[]>> = {
  png: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  jpg: [[0xff, 0xd8, 0xff]],
  jpeg: [[0xff, 0xd8, 0xff]],
  gif: [
    [0x47, 0x49, 0x46, 0x38, 0x37, 0x61],
    [0x47, 0x49, 0x46, 0x38, 0x39, 0x61],
  ],
  bmp: [[0x42, 0x4d]],
  tiff: [
    [0x49, 0x49, 0x2a, 0x00],
    [0x4d, 0x4d, 0x00, 0x2a],
  ],
  ico: [[0x00, 0x00, 0x01, 0x00]],
  webp: [[0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
}

const longestBeginning = 12

/** Whether the content of an image is what the extension of its name says. */
export function isImage(name: string, head: Buffer): boolean {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const known = Object.hasOwn(beginnings, extension) ? beginnings[extension] : undefined
  return known?.some((bytes) => bytes.every((byte, at) => byte === null || head[at] === byte)) ?? false
}

const refusal =
  'File format is not supported. Please try one of the following supported formats: ' +
  Object.keys(beginnings).join(', ')

/** @throws ApiError 400 unless the file is an image of a supported format */
export async function requireImage({ filename, path }: { filename: string; path: string }): Promise<void> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestBeginning), 0, longestBeginning, 0)
    if (!isImage(filename, buffer.subarray(0, bytesRead))) throw failure(400, refusal)
  } finally {
    await file.close()
  }
}
