! hpcrun.f90: what a program says of itself in its profile, for Fortran. See hpcrun.h.
!
!     use hpcrun
!     integer :: parsed
!
!     parsed = hpcrun_metric_new('PARSED', 'bytes')
!     call hpcrun_record(parsed, 4096_int64)
!     call hpcrun_region_begin('assembly')
!     ...
!     call hpcrun_region_end('assembly')
!     call hpcrun_label_set('iteration', i)
!
! Compile this file with the program; it needs no library. If the program is not measured by hpcrun(1),
! nothing happens.
module hpcrun
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: hpcrun_metric_new, hpcrun_record, hpcrun_region_begin, hpcrun_region_end, &
            hpcrun_label_set, hpcrun_label_clear, &
            hpcrun_stop, hpcrun_start, hpcrun_stop_thread, hpcrun_start_thread

  ! struct hpcrun_interface of hpcrun.h
  type, bind(c) :: interface_type
    integer(c_int32_t) :: bytes
    type(c_funptr) :: metric_new, record, region_begin, region_begin_for, region_end, label_text, label_number, stop
  end type

  abstract interface
    function metric_new_type(name, unit) bind(c) result(metric)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), unit(*)
      integer(c_int) :: metric
    end function
    function record_type(metric, amount, leave_out) bind(c) result(failed)
      import :: c_int, c_int64_t
      integer(c_int), value :: metric, leave_out
      integer(c_int64_t), value :: amount
      integer(c_int) :: failed
    end function
    subroutine region_begin_for_type(name, callers) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: callers
    end subroutine
    subroutine region_end_type(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine label_text_type(key, value, push) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: key, value ! null: it is taken away
      integer(c_int), value :: push
    end subroutine
    subroutine label_number_type(key, value, push) bind(c)
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: value
      integer(c_int), value :: push
    end subroutine
  end interface

  abstract interface
    subroutine stop_type(thread, stop) bind(c)
      import :: c_int
      integer(c_int), value :: thread, stop
    end subroutine
  end interface

  ! The value is a text, or an integer of either kind.
  interface hpcrun_label_set
    module procedure set_text, set_integer, set_int64
  end interface

  interface
    function dlsym(handle, name) bind(c) result(symbol)
      import :: c_char, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: symbol
    end function
  end interface

  logical, volatile, save :: known = .false. ! whether the library was looked for
  procedure(metric_new_type), pointer, save :: c_metric_new => null()
  procedure(record_type), pointer, save :: c_record => null()
  procedure(region_begin_for_type), pointer, save :: c_region_begin_for => null()
  procedure(region_end_type), pointer, save :: c_region_end => null()
  procedure(label_text_type), pointer, save :: c_label_text => null()
  procedure(label_number_type), pointer, save :: c_label_number => null()
  procedure(stop_type), pointer, save :: c_stop => null()

contains

  subroutine find()
    type(c_ptr) :: at
    type(interface_type), pointer :: found

    at = dlsym(c_null_ptr, 'hpcrun_interface_1' // c_null_char)
    if (c_associated(at)) then
      call c_f_pointer(at, found)
      call c_f_procpointer(found%metric_new, c_metric_new)
      call c_f_procpointer(found%record, c_record)
      if (found%bytes >= c_sizeof(found)) then
        call c_f_procpointer(found%region_begin_for, c_region_begin_for)
        call c_f_procpointer(found%region_end, c_region_end)
        call c_f_procpointer(found%label_text, c_label_text)
        call c_f_procpointer(found%label_number, c_label_number)
        call c_f_procpointer(found%stop, c_stop)
      end if
    end if
    known = .true.
  end subroutine

  ! The number of the metric, or -1.
  integer function hpcrun_metric_new(name, unit) result(metric)
    character(len=*), intent(in) :: name, unit

    metric = -1
    if (.not. known) call find()
    if (associated(c_metric_new)) &
      metric = c_metric_new(trim(name) // c_null_char, trim(unit) // c_null_char)
  end function

  ! At the path of the caller.
  subroutine hpcrun_record(metric, amount)
    integer, intent(in) :: metric
    integer(int64), intent(in) :: amount

    if (.not. known) call find()
    if (.not. associated(c_record)) return
    ! what follows the call keeps this frame, which is left out of the path
    if (c_record(metric, amount, 1) /= 0) known = .true.
  end subroutine

  subroutine hpcrun_region_begin(name)
    character(len=*), intent(in) :: name

    if (.not. known) call find()
    if (.not. associated(c_region_begin_for)) return
    call c_region_begin_for(trim(name) // c_null_char, 1)
    known = .true. ! keeps this frame, too
  end subroutine

  subroutine hpcrun_region_end(name)
    character(len=*), intent(in) :: name

    if (.not. known) call find()
    if (associated(c_region_end)) call c_region_end(trim(name) // c_null_char)
  end subroutine

  subroutine set_text(key, value)
    character(len=*), intent(in) :: key, value
    character(len=len(key) + 1), target :: c_key
    character(len=len(value) + 1), target :: c_value

    if (.not. known) call find()
    c_key = trim(key) // c_null_char
    c_value = trim(value) // c_null_char
    if (associated(c_label_text)) call c_label_text(c_loc(c_key), c_loc(c_value), 0)
  end subroutine

  subroutine set_int64(key, value)
    character(len=*), intent(in) :: key
    integer(int64), intent(in) :: value

    if (.not. known) call find()
    if (associated(c_label_number)) call c_label_number(trim(key) // c_null_char, value, 0)
  end subroutine

  subroutine set_integer(key, value)
    character(len=*), intent(in) :: key
    integer, intent(in) :: value

    call set_int64(key, int(value, int64))
  end subroutine

  subroutine hpcrun_label_clear(key)
    character(len=*), intent(in) :: key
    character(len=len(key) + 1), target :: c_key

    if (.not. known) call find()
    c_key = trim(key) // c_null_char
    if (associated(c_label_text)) call c_label_text(c_loc(c_key), c_null_ptr, 0)
  end subroutine

  subroutine change(thread, stop)
    integer(c_int), intent(in) :: thread, stop

    if (.not. known) call find()
    if (associated(c_stop)) call c_stop(thread, stop)
  end subroutine

  ! Measuring the process, or the calling thread.
  subroutine hpcrun_stop()
    call change(0, 1)
  end subroutine

  subroutine hpcrun_start()
    call change(0, 0)
  end subroutine

  subroutine hpcrun_stop_thread()
    call change(1, 1)
  end subroutine

  subroutine hpcrun_start_thread()
    call change(1, 0)
  end subroutine
end module
