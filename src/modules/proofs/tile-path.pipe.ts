import { Injectable, type PipeTransform } from '@nestjs/common';

/** Express gives the segments that a wildcard stands for. Their text is the path of a tile. */
@Injectable()
export class TilePathPipe implements PipeTransform<readonly string[], string> {
  transform(segments: readonly string[]): string {
    return segments.join('/');
  }
}
