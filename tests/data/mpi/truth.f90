! The same as truth.c of Fortran, by the module mpi or with -DF08 by mpi_f08. Rank 1 is told what rank
! 0 does, as both do the same.
program truth_fortran
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
#define REQUEST type(MPI_Request)
#define STATUS(name) type(MPI_Status) :: name
#define SOURCE(name) name%MPI_SOURCE
#define WINDOW type(MPI_Win)
#else
#define REQUEST integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define SOURCE(name) name(MPI_SOURCE)
#define WINDOW integer
#endif
  integer :: rank, other, ierr
  real(8) :: to(1000), from(1000)
  to = 1
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  call messages()
  call requests()
  call together()
  call in_place()
  if (rank == 0) then
     call say(0)
     call say(1)
  end if
  call MPI_Finalize(ierr)
contains

  subroutine messages()
    STATUS(status)
    if (rank == 0) then
       call MPI_Send(to, 100, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, ierr)
       call MPI_Recv(from, 200, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, status, ierr)
       if (SOURCE(status) /= 1) stop 'the status is wrong'
    else
       call MPI_Recv(from, 200, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
       call MPI_Send(to, 100, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, ierr)
    end if
    call MPI_Sendrecv(to, 10, MPI_DOUBLE_PRECISION, other, 3, from, 10, MPI_DOUBLE_PRECISION, other, 3, &
         MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine messages

  subroutine requests()
    REQUEST :: two(2)
    call MPI_Irecv(from, 50, MPI_INTEGER, other, 4, MPI_COMM_WORLD, two(1), ierr)
    call MPI_Isend(to, 30, MPI_INTEGER, other, 4, MPI_COMM_WORLD, two(2), ierr)
    call MPI_Waitall(2, two, MPI_STATUSES_IGNORE, ierr)
    call MPI_Irecv(from, 50, MPI_INTEGER, other, 4, MPI_COMM_WORLD, two(1), ierr)
    call MPI_Isend(to, 40, MPI_INTEGER, other, 4, MPI_COMM_WORLD, two(2), ierr)
    call MPI_Wait(two(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(two(2), MPI_STATUS_IGNORE, ierr)
  end subroutine requests

  subroutine together()
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(to, from, 20, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Alltoall(to, 5, MPI_DOUBLE_PRECISION, from, 5, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  end subroutine together

  subroutine in_place()
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, from, 7, MPI_DOUBLE_PRECISION, &
         MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, from, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine in_place

  subroutine say(of)
    integer, intent(in) :: of
    call row(of, 'truth_fortran', '-', 2, 0, 0)
    call row(of, 'messages', '-', 3, 0, 0)
    call row(of, 'messages', achar(49 - of), 0, 880, 880)
    call row(of, 'requests', '-', 7, 0, 0)
    call row(of, 'requests', achar(49 - of), 0, 280, 280)
    call row(of, 'together', '-', 3, 160 + 80, 160 + 80)
    call row(of, 'in_place', '-', 2, 56 + 16, 112 + 16)
  end subroutine say

  subroutine row(of, name, partner, calls, sent, received)
    integer, intent(in) :: of, calls, sent, received
    character(*), intent(in) :: name, partner
    print '(i0, 1x, a, 1x, a, 3(1x, i0))', of, name, partner, calls, sent, received
  end subroutine row
end program truth_fortran
