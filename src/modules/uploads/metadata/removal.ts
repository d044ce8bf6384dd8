import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { handled } from '../../../infra/streams/index.ts'
import { jpegWithoutMetadata } from './jpeg.ts'
import { tiffWithoutMetadata } from './tiff.ts'

const jpegMark = Buffer.from([0xff, 0xd8, 0xff])
const tiffMarks = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].map((mark) => Buffer.from(mark, 'latin1'))

async function beginningOf(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  return buffer.subarray(0, bytesRead)
}

/**
 * The content of a file to be stored: of JPEG and TIFF images, which their first bytes show, without metadata; of other
 * files as it is (contract 08, "Metadata removal").
 * @throws ImageProblem while it is read, when the rest is no such image
 */
export async function* withoutMetadata(path: string): AsyncGenerator<Buffer> {
  const beginning = await beginningOf(path)
  const source = () => handled(createReadStream(path, { highWaterMark: 256 * 1024 })) as AsyncIterable<Buffer>
  if (beginning.subarray(0, 3).equals(jpegMark)) yield* jpegWithoutMetadata(source())
  else if (tiffMarks.some((mark) => beginning.equals(mark))) yield* tiffWithoutMetadata(path)
  else yield* source()
}
