import { cx } from '../lib/cx.ts';
import { nameParts } from '../lib/name-parts.ts';

/**
 * A name on one line that is cut in its middle where there is no room for it: of many names that begin alike, the end
 * tells which one it is. All of it is on hover, in what is copied and in what a screen reader says.
 */
export function MiddleTruncation(props: {
  name: string;
  className?: string | undefined;
  /** What hovering says instead of the name; `''` leaves it to what is around. */
  title?: string;
}) {
  const { name, title = name } = props;
  const [beginning, end] = nameParts(name);
  return (
    <bdi
      className={cx('middle-truncation', props.className)}
      data-end={end}
      data-long={name.length > MOST_OF_TWO_LINES ? '' : undefined}
      title={title === '' ? undefined : title}
    >
      <span>
        {beginning}
        {/* Its place is taken by what CSS draws of it, which is never pushed out. */}
        {end !== '' && <span className="cut-end">{end}</span>}
      </span>
    </bdi>
  );
}

/** More does not fit on two lines of a telephone. */
const MOST_OF_TWO_LINES = 72;
